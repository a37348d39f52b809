import type { QueueState } from './settlementQueue.ts';

export interface BoundedQueue {
  /** Runs `work` as soon as fewer than the maximum are running; in the order of the calls. */
  run<T>(work: () => Promise<T>): Promise<T>;
  state(): QueueState;
}

/** Work of which at most so many run at once. */
export function createBoundedQueue(mostAtOnce: number): BoundedQueue {
  const waiting: { since: number; start(): void }[] = [];
  let running = 0;
  return {
    async run(work) {
      // The one that ends passes its place on, so `running` stays.
      if (running >= mostAtOnce) await new Promise<void>((start) => waiting.push({ since: Date.now(), start }));
      else running += 1;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next.start();
        else running -= 1;
      }
    },
    state: () => ({ length: waiting.length, oldestMs: waiting[0] ? Date.now() - waiting[0].since : 0 }),
  };
}
