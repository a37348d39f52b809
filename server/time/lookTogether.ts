/**
 * One look at a time, waited for so long. Undefined when it is late: who asks while a look is still under way waits for
 * the same one, so that what hangs is not asked again and again.
 *
 * @example
 * const isThere = lookTogether(1_000, () => database.ping());
 * const there = (await isThere()) ?? false;
 */
export function lookTogether<T>(ms: number, look: () => Promise<T>): () => Promise<T | undefined> {
  let looking: Promise<T> | undefined;
  return async () => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, ms, undefined);
    });
    try {
      return await Promise.race([looking, late]);
    } finally {
      clearTimeout(timer);
    }
  };
}
