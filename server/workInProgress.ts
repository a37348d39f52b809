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
  // A count: a Set would keep finished tasks and their requests alive until a major garbage collection (docs/adr/003).
  let running = 0;
  let isDraining = false;
  let waiting: (() => void)[] = [];
  const end = () => {
    running -= 1;
    if (running > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  async function settled(): Promise<void> {
    while (running > 0) await new Promise<void>((resolve) => waiting.push(resolve));
  }
  return {
    run(task) {
      running += 1;
      task.then(end, end);
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
