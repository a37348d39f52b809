/**
 * One read for all who ask within its lifetime; a failed one is not kept. For half of its lifetime longer it is still
 * returned while the next one is read, so that a steady flow of payments never waits for it.
 */
export function shareRead<T>(read: () => Promise<T>, lifeMs: number): { read(): Promise<T>; forget(): void } {
  let kept: { value: Promise<T>; until: number } | undefined;
  function readAnew(): Promise<T> {
    const entry = { value: read(), until: Date.now() + lifeMs };
    kept = entry;
    entry.value.catch(() => {
      if (kept === entry) kept = undefined;
    });
    return entry.value;
  }
  return {
    read() {
      if (!kept) return readAnew();
      const { value, until } = kept;
      const late = Date.now() - until;
      if (late < 0) return value;
      const next = readAnew();
      return late < lifeMs / 2 ? value : next;
    },
    forget() {
      kept = undefined;
    },
  };
}
