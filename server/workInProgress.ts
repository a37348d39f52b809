/** Sales that have begun. A sale goes on when its client leaves, so closing waits for these, not for sockets. */
export interface WorkInProgress {
  run<T>(task: Promise<T>): Promise<T>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

export function createWorkInProgress(): WorkInProgress {
  const tasks = new Set<Promise<unknown>>();
  return {
    run(task) {
      tasks.add(task);
      const forget = () => tasks.delete(task);
      task.then(forget, forget);
      return task;
    },
    async settled() {
      while (tasks.size > 0) await Promise.allSettled(tasks);
    },
  };
}
