/**
 * A signal that fires when `outer` does, or when it is ended. Call `end` when nobody waits on it any more: it lets go of
 * `outer`.
 *
 * Not `AbortSignal.any([outer, own.signal])`, for the reason that `withinTime` gives.
 *
 * @example
 * const watching = endWith(closing);
 * try { await Promise.race([ask(watching.signal), look(watching.signal)]); } finally { watching.end(); }
 */
export function endWith(outer: AbortSignal): { signal: AbortSignal; end(): void } {
  const inner = new AbortController();
  const passOn = () => inner.abort(outer.reason);
  if (outer.aborted) passOn();
  else outer.addEventListener('abort', passOn, { once: true });
  return {
    signal: inner.signal,
    end() {
      outer.removeEventListener('abort', passOn);
      inner.abort();
    },
  };
}
