import { setMaxListeners } from 'node:events';

/**
 * Runs work under a signal that aborts with `outer` or after `timeoutMs`. Releases both when the work ends.
 *
 * `AbortSignal.any([outer, AbortSignal.timeout(ms)])` is not used: Node 20 garbage-collects it during a fetch, and the
 * timeout never fires. Here the runtime references the timer.
 *
 * @example await withTimeout(request.signal, 1_500, (signal) => fetch(url, { signal }))
 */
export async function withTimeout<T>(
  outer: AbortSignal,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const inner = new AbortController();
  // Many calls may share one signal, and each removes its listener: disable Node's leak warning.
  setMaxListeners(0, outer);
  const forward = () => inner.abort(outer.reason);
  const timer = setTimeout(
    () => inner.abort(new DOMException(`Timed out after ${timeoutMs} ms.`, 'TimeoutError')),
    timeoutMs,
  );
  if (outer.aborted) forward();
  else outer.addEventListener('abort', forward, { once: true });
  try {
    return await work(inner.signal);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', forward);
  }
}
