import { defaultQueueTimeoutMs, type QueueState } from './settlementQueue.ts';

export interface BoundedQueue {
  /** Runs `work` once fewer than the maximum are running, in the order of the calls. */
  run<T>(work: () => Promise<T>): Promise<T>;
  state(): QueueState;
}

/**
 * Limits how many tasks run at once.
 *
 * @param timeoutMs milliseconds after which a task no longer counts, so that a hanging node does not delay other tasks
 */
export function createBoundedQueue(maxAtOnce: number, timeoutMs = defaultQueueTimeoutMs): BoundedQueue {
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
      if (running >= maxAtOnce) await new Promise<void>((start) => waiting.push({ since: Date.now(), start }));
      else running += 1;
      let hasEnded = false;
      const end = (): void => {
        if (!hasEnded) startNext();
        hasEnded = true;
      };
      const timer = setTimeout(end, timeoutMs).unref();
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
