/** One way to get an answer. `signal` ends it when another was faster or time is up. */
export interface Way<T> {
  run(signal: AbortSignal): Promise<T>;
  /** How long to wait for it before the next way is tried as well, in milliseconds. */
  patienceMs: number;
}

/** Time was up before any way gave an answer; the cause is what the last one failed with, if one did. */
export class TimeUpError extends Error {
  override readonly name = 'TimeUpError';
}

/** Why a way was ended from outside. */
export type Ended = 'outrun' | 'time-up';

/**
 * Tries ways in order: the next one when the latest has failed or its patience is over, the earlier ones going on.
 * The first answer ends the rest.
 * @param goesOn whether an error leaves hope for the other ways; one that does not ends all
 * @throws {TimeUpError} and the last error when every way has failed
 */
export function firstAnswer<T>(
  ways: readonly Way<T>[],
  { deadlineMs, goesOn }: { deadlineMs: number; goesOn: (error: unknown) => boolean },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const controllers = new Set<AbortController>();
    let next = 0;
    let cause: unknown;
    let patience: NodeJS.Timeout | undefined;

    const end = (why: Ended, settle: () => void) => {
      clearTimeout(patience);
      clearTimeout(deadline);
      for (const controller of controllers) controller.abort(why);
      controllers.clear();
      settle();
    };
    const deadline = setTimeout(
      () => end('time-up', () => reject(new TimeUpError('Time is up.', { cause }))),
      deadlineMs,
    );

    const startNext = () => {
      clearTimeout(patience);
      const way = ways[next];
      if (!way) return;
      next += 1;
      if (next < ways.length) patience = setTimeout(startNext, way.patienceMs);
      const controller = new AbortController();
      controllers.add(controller);
      way.run(controller.signal).then(
        (value) => {
          if (!controllers.delete(controller)) return;
          end('outrun', () => resolve(value));
        },
        (error: unknown) => {
          // Ended from outside: the answer, or the end of time, has been told already.
          if (!controllers.delete(controller)) return;
          cause = error;
          if (!goesOn(error)) end('outrun', () => reject(error));
          else if (next < ways.length) startNext();
          else if (controllers.size === 0) end('outrun', () => reject(error));
        },
      );
    };
    startNext();
  });
}
