import { setTimeout as sleep } from 'node:timers/promises';

/** The result, or `late` after `ms` milliseconds. The work continues. */
export async function within<T>(ms: number, result: Promise<T>, late: T): Promise<T> {
  const done = new AbortController();
  const timer = sleep(ms, late, { signal: done.signal, ref: false }).catch(() => late);
  return Promise.race([result.finally(() => done.abort()), timer]);
}
