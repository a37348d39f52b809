/** Sales that have begun. A sale goes on when its client leaves, so closing waits for these, not for sockets. */
export interface WorkInProgress {
  run<T>(task: Promise<T>): Promise<T>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
  /** The same, and from now on nothing new is to begin. */
  drain(): Promise<void>;
  readonly isDraining: boolean;
}

export function createWorkInProgress(): WorkInProgress {
  const tasks = new Set<Promise<unknown>>();
  let isDraining = false;
  async function settled(): Promise<void> {
    while (tasks.size > 0) await Promise.allSettled(tasks);
  }
  return {
    run(task) {
      tasks.add(task);
      const forget = () => tasks.delete(task);
      task.then(forget, forget);
      return task;
    },
    get isDraining() {
      return isDraining;
    },
    settled,
    drain() {
      isDraining = true;
      return settled();
    },
  };
}
