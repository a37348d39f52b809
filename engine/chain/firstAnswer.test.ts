import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Attempt, DeadlineError, firstAnswer } from './firstAnswer.ts';

beforeEach(() => vi.useFakeTimers({ now: 0 }));
afterEach(() => vi.useRealTimers());

const passing = new RangeError('may pass');
const final = new TypeError('final');
const options = {
  deadlineMs: 1_000,
  isRetryable: (error: unknown) => error instanceof RangeError,
};

/** Attempts that end after so many milliseconds: with their label, or with the error. Records starts and aborts. */
function attemptsOf(...ends: readonly { ms: number; error?: Error; hedge?: number; isRepeat?: boolean }[]) {
  const log: string[] = [];
  const attempts = ends.map(
    ({ ms, error, hedge = 10_000, isRepeat = false }, index): Attempt<number> => ({
      run: (signal) =>
        new Promise((resolve, reject) => {
          log.push(`${index} at ${Date.now()}`);
          signal.addEventListener('abort', () => log.push(`${index} ${String(signal.reason)}`));
          setTimeout(() => (error ? reject(error) : resolve(index)), ms);
        }),
      hedgeAfterMs: hedge,
      isRepeat,
    }),
  );
  return { attempts, log };
}
const outcome = (work: Promise<number>) =>
  work.then(
    (value) => ({ value, at: Date.now() }),
    (error: unknown) => ({ error, at: Date.now() }),
  );
async function run(attempts: readonly Attempt<number>[], more: object = {}) {
  const work = outcome(firstAnswer(attempts, { ...options, ...more }));
  await vi.advanceTimersByTimeAsync(5_000);
  return work;
}

test('the first success aborts the others, and only them', async () => {
  const { attempts, log } = attemptsOf({ ms: 300, hedge: 100 }, { ms: 100 });
  expect(await run(attempts)).toEqual({ value: 1, at: 200 });
  expect(log).toEqual(['0 at 0', '1 at 100', '0 superseded']);
});

test('each attempt starts after the hedge delay of the one before it', async () => {
  const { attempts, log } = attemptsOf({ ms: 900, hedge: 50 }, { ms: 900, hedge: 70 }, { ms: 900, hedge: 10 });
  await run(attempts);
  expect(log.slice(0, 3)).toEqual(['0 at 0', '1 at 50', '2 at 120']);
});

test('a failure starts the next attempt at once, and the delay begins anew', async () => {
  const { attempts, log } = attemptsOf({ ms: 30, error: passing, hedge: 50 }, { ms: 900, hedge: 50 }, { ms: 10 });
  expect(await run(attempts)).toEqual({ value: 2, at: 90 });
  expect(log.slice(0, 3)).toEqual(['0 at 0', '1 at 30', '2 at 80']);
});

test('an error that no other attempt can avoid ends all', async () => {
  const { attempts, log } = attemptsOf({ ms: 900, hedge: 50 }, { ms: 30, error: final }, { ms: 10 });
  expect(await run(attempts)).toEqual({ error: final, at: 80 });
  expect(log).toEqual(['0 at 0', '1 at 50', '0 superseded']);
});

test('the last failure is thrown once no attempt runs', async () => {
  const other = new RangeError('other');
  const { attempts } = attemptsOf({ ms: 200, error: other, hedge: 50 }, { ms: 30, error: passing });
  expect(await run(attempts)).toEqual({ error: other, at: 200 });
});

test('a failure while another attempt runs does not end it', async () => {
  const { attempts } = attemptsOf({ ms: 200, hedge: 50 }, { ms: 30, error: passing });
  expect(await run(attempts)).toEqual({ value: 0, at: 200 });
});

test('a repeat starts only after an error that may pass', async () => {
  const mayRepeat = (error: unknown) => error === passing;
  const repeated = attemptsOf({ ms: 10, error: passing }, { ms: 10, isRepeat: true });
  expect(await run(repeated.attempts, { mayRepeat })).toEqual({ value: 1, at: 20 });
  const other = new RangeError('refused');
  vi.setSystemTime(0);
  const once = attemptsOf({ ms: 10, error: other }, { ms: 10, isRepeat: true });
  expect(await run(once.attempts, { mayRepeat })).toEqual({ error: other, at: 10 });
  vi.setSystemTime(0);
  const node = attemptsOf({ ms: 10, error: other }, { ms: 10 });
  expect(await run(node.attempts, { mayRepeat })).toEqual({ value: 1, at: 20 });
});

test('the deadline aborts all attempts, and its cause is the last failure', async () => {
  const { attempts, log } = attemptsOf({ ms: 30, error: passing }, { ms: 9_000 });
  const { error, at } = (await run(attempts)) as { error: unknown; at: number };
  expect(error).toBeInstanceOf(DeadlineError);
  expect([(error as DeadlineError).cause, at]).toEqual([passing, 1_000]);
  expect(log.at(-1)).toBe('1 deadline');
  const hanging = attemptsOf({ ms: 9_000 });
  expect(await run(hanging.attempts)).toMatchObject({ error: { cause: undefined } });
});

test('no timer is left after the end', async () => {
  const { attempts } = attemptsOf({ ms: 10, hedge: 500 }, { ms: 10 });
  const work = firstAnswer(attempts, options);
  await vi.advanceTimersByTimeAsync(10);
  expect([await work, vi.getTimerCount()]).toEqual([0, 0]);
});
