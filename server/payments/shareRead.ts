/**
 * Callers within the lifetime of a read share it; a failed one is not kept. For another half lifetime the old value is
 * returned while the next one is read, so that a steady flow of payments does not wait.
 */
export function shareRead<T>(read: () => Promise<T>, lifeMs: number): { read(): Promise<T>; forget(): void } {
  let kept: { value: Promise<T>; until: number } | undefined;
  function readAgain(): Promise<T> {
    const entry = { value: read(), until: Date.now() + lifeMs };
    kept = entry;
    entry.value.catch(() => {
      if (kept === entry) kept = undefined;
    });
    return entry.value;
  }
  return {
    read() {
      if (!kept) return readAgain();
      const { value, until } = kept;
      const late = Date.now() - until;
      if (late < 0) return value;
      const next = readAgain();
      return late < lifeMs / 2 ? value : next;
    },
    forget() {
      kept = undefined;
    },
  };
}
