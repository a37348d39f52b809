import type { QueueState } from './settlementQueue.ts';

/** Work that takes longer, because a node hangs, no longer delays the work behind it. */
const usualPatienceMs = 4_000;

export interface BoundedQueue {
  /** Runs `work` as soon as fewer than the maximum are running; in the order of the calls. */
  run<T>(work: () => Promise<T>): Promise<T>;
  state(): QueueState;
}

/** Work of which at most so many run at once. */
export function createBoundedQueue(mostAtOnce: number, patienceMs = usualPatienceMs): BoundedQueue {
  const waiting: { since: number; start(): void }[] = [];
  let running = 0;

  function startNext(): void {
    running -= 1;
    const next = waiting.shift();
    if (!next) return;
    running += 1;
    next.start();
  }

  return {
    async run(work) {
      if (running >= mostAtOnce) await new Promise<void>((start) => waiting.push({ since: Date.now(), start }));
      else running += 1;
      let isOver = false;
      const end = (): void => {
        if (!isOver) startNext();
        isOver = true;
      };
      const timer = setTimeout(end, patienceMs).unref();
      try {
        return await work();
      } finally {
        clearTimeout(timer);
        end();
      }
    },
    state: () => ({ length: waiting.length, oldestMs: waiting[0] ? Date.now() - waiting[0].since : 0 }),
  };
}
