import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { within } from './within.ts';

const never = new Promise<string>(() => {});

beforeEach(() => vi.useFakeTimers({ now: 0 }));
afterEach(() => vi.useRealTimers());

test('returns the result if it is in time, and leaves no timer', async () => {
  expect(await within(60_000, Promise.resolve('result'), 'late')).toBe('result');
  expect(vi.getTimerCount()).toBe(0);
});

test('returns the substitute after the time', async () => {
  const work = within(100, never, 'late').then((result) => [result, Date.now()]);
  await vi.advanceTimersByTimeAsync(500);
  expect(await work).toEqual(['late', 100]);
});

test('a failure in time is thrown, and leaves no timer', async () => {
  await expect(within(60_000, Promise.reject(new RangeError('failed')), 'late')).rejects.toThrow('failed');
  expect(vi.getTimerCount()).toBe(0);
});

test('a failure after the time is not thrown', async () => {
  const failing = new Promise<string>((_, reject) => setTimeout(reject, 200, new RangeError('failed')));
  const work = within(100, failing, 'late');
  await vi.advanceTimersByTimeAsync(500);
  expect(await work).toBe('late');
});

test('a wait does not keep the process running', () => {
  vi.useRealTimers();
  const countTimers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = countTimers();
  void within(1_000, never, 'late');
  expect(countTimers()).toBe(before);
});
