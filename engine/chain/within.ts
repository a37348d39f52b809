/** The result, or `late` after `ms` milliseconds. The work continues. */
export async function within<T>(ms: number, result: Promise<T>, late: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<T>((resolve) => {
    // A process that has nothing else to do may exit.
    timer = setTimeout(resolve, ms, late).unref();
  });
  return Promise.race([result, timeout]).finally(() => clearTimeout(timer));
}
