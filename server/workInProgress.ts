/** Paid calls in progress. They continue when the client disconnects, so shutdown waits for these, not for sockets. */
export interface WorkInProgress {
  run<T>(task: Promise<T>): Promise<T>;
  /** Resolves when no call is in progress. */
  settled(): Promise<void>;
  /** Sets `isDraining`, then waits like `settled`. */
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
