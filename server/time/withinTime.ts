import { setMaxListeners } from 'node:events';

/**
 * Runs work under a signal that fires when `outer` does or when the time is over, and lets go of both when the work ends.
 *
 * Not `AbortSignal.any([outer, AbortSignal.timeout(ms)])`: on Node 20 the garbage collector takes that signal
 * away while a fetch still waits on it, and the time limit never comes. The timer here is held by the runtime.
 *
 * @example await withinTime(request.signal, 1_500, (signal) => fetch(url, { signal }))
 */
export async function withinTime<T>(
  outer: AbortSignal,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const inner = new AbortController();
  // Many may wait under one signal at once, and each lets go of it: no leak to be warned of.
  setMaxListeners(0, outer);
  const passOn = () => inner.abort(outer.reason);
  const timer = setTimeout(
    () => inner.abort(new DOMException(`No end within ${timeoutMs} ms.`, 'TimeoutError')),
    timeoutMs,
  );
  if (outer.aborted) passOn();
  else outer.addEventListener('abort', passOn, { once: true });
  try {
    return await work(inner.signal);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', passOn);
  }
}
