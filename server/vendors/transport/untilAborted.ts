/** Awaits shared work for one caller. Rejects when the caller's signal aborts; the work continues for the others. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal, toError: () => Error): Promise<T> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(toError());
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
