import { waitFor } from './waitFor.ts';

/**
 * Runs one read at a time and waits at most `ms` milliseconds for it; undefined on timeout. Concurrent callers share the
 * running read, so that reads of a hanging dependency do not accumulate.
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
