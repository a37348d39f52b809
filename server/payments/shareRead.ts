/**
 * Caches a read for `lifeMs` milliseconds; a failed read is not cached. For another half of that time the old value is
 * returned while the next one is read, so that frequent callers do not wait.
 */
export function shareRead<T>(read: () => Promise<T>, lifeMs: number): { read(): Promise<T>; forget(): void } {
  let cached: { value: Promise<T>; until: number } | undefined;
  function readAgain(): Promise<T> {
    const entry = { value: read(), until: Date.now() + lifeMs };
    cached = entry;
    entry.value.catch(() => {
      if (cached === entry) cached = undefined;
    });
    return entry.value;
  }
  return {
    read() {
      if (!cached) return readAgain();
      const { value, until } = cached;
      const staleMs = Date.now() - until;
      if (staleMs < 0) return value;
      const next = readAgain();
      return staleMs < lifeMs / 2 ? value : next;
    },
    forget() {
      cached = undefined;
    },
  };
}
