import { waitFor } from './waitFor.ts';

/**
 * Runs one read at a time and waits for it at most `ms`; undefined on timeout. Concurrent callers share the running read,
 * so that a hanging dependency does not accumulate reads.
 *
 * @example
 * const isThere = shareRunning(1_000, () => database.ping());
 * const there = (await isThere()) ?? false;
 */
export function shareRunning<T>(ms: number, read: () => Promise<T>): () => Promise<T | undefined> {
  let running: Promise<T> | undefined;
  return async () => {
    running ??= read().finally(() => {
      running = undefined;
    });
    const value = await waitFor(running, ms);
    return value === 'late' ? undefined : value;
  };
}
