/**
 * A signal that aborts with `outer` or with `end`. Call `end` when the work is done: it removes the listener from `outer`.
 *
 * `AbortSignal.any([outer, own.signal])` would fail as described in `withTimeout`.
 *
 * @example
 * const scope = endWith(closing);
 * try { await Promise.race([send(scope.signal), poll(scope.signal)]); } finally { scope.end(); }
 */
export function endWith(outer: AbortSignal): { signal: AbortSignal; end(): void } {
  const inner = new AbortController();
  const forward = () => inner.abort(outer.reason);
  if (outer.aborted) forward();
  else outer.addEventListener('abort', forward, { once: true });
  return {
    signal: inner.signal,
    end() {
      outer.removeEventListener('abort', forward);
      inner.abort();
    },
  };
}
