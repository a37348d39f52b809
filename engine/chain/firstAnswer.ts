/** One attempt to get an answer. `signal` aborts when another attempt was faster, or at the deadline. */
export interface Attempt<T> {
  run(signal: AbortSignal): Promise<T>;
  /** Milliseconds until the next attempt starts as well (a hedged request). */
  hedgeAfterMs: number;
  /** It repeats an earlier attempt, so it starts only after errors that may pass. */
  isRepeat?: boolean;
}

/** The deadline passed before any attempt succeeded; the cause is the last failure, if any. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

interface FirstAnswerOptions {
  deadlineMs: number;
  isRetryable: (error: unknown) => boolean;
  mayRepeat?: (error: unknown) => boolean;
}

/** Why an attempt was aborted. */
export type AbortReason = 'superseded' | 'deadline';

/**
 * Starts attempts in order. The next one starts when any attempt fails, or after the `hedgeAfterMs` of the latest.
 * Earlier attempts continue; the first success aborts the others.
 * @param isRetryable whether other attempts may succeed after this error; otherwise all are aborted
 * @param mayRepeat whether the same attempt may succeed after this error
 * @throws {DeadlineError} at the deadline; the last error when every attempt has failed
 */
export function firstAnswer<T>(
  attempts: readonly Attempt<T>[],
  { deadlineMs, isRetryable, mayRepeat = isRetryable }: FirstAnswerOptions,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const controllers = new Set<AbortController>();
    let next = 0;
    let cause: unknown;
    let hedge: NodeJS.Timeout | undefined;

    const end = (reason: AbortReason, settle: () => void) => {
      clearTimeout(hedge);
      clearTimeout(deadline);
      for (const controller of controllers) controller.abort(reason);
      controllers.clear();
      settle();
    };
    const deadline = setTimeout(
      () => end('deadline', () => reject(new DeadlineError('The deadline passed.', { cause }))),
      deadlineMs,
    );

    const mayStart = (attempt: Attempt<T> | undefined, error: unknown) =>
      attempt !== undefined && (!attempt.isRepeat || mayRepeat(error));
    const startNext = () => {
      clearTimeout(hedge);
      const attempt = attempts[next];
      if (!attempt) return;
      next += 1;
      if (next < attempts.length) hedge = setTimeout(startNext, attempt.hedgeAfterMs);
      const controller = new AbortController();
      controllers.add(controller);
      attempt.run(controller.signal).then(
        (value) => {
          if (!controllers.delete(controller)) return;
          end('superseded', () => resolve(value));
        },
        (error: unknown) => {
          // An aborted attempt: the result is settled already.
          if (!controllers.delete(controller)) return;
          cause = error;
          if (!isRetryable(error)) end('superseded', () => reject(error));
          else if (mayStart(attempts[next], error)) startNext();
          else if (controllers.size === 0) end('superseded', () => reject(error));
        },
      );
    };
    startNext();
  });
}
