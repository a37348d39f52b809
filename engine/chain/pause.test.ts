import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pause } from './pause.ts';

beforeEach(() => vi.useFakeTimers({ now: 0 }));
afterEach(() => vi.useRealTimers());

test('ends after the time, and leaves no listener on the signal', async () => {
  const { signal } = new AbortController();
  const removed = vi.spyOn(signal, 'removeEventListener');
  const work = pause(100, signal).then(() => Date.now());
  await vi.advanceTimersByTimeAsync(500);
  expect([await work, removed.mock.calls.length]).toEqual([100, 1]);
  const plain = pause(100);
  await vi.advanceTimersByTimeAsync(100);
  await plain;
});

test('an abort ends the wait with its reason, and leaves no timer', async () => {
  const aborting = new AbortController();
  const work = pause(100, aborting.signal).catch((error: Error) => error);
  aborting.abort('deadline');
  expect(await work).toMatchObject({ message: 'The wait was aborted.', cause: 'deadline' });
  expect(vi.getTimerCount()).toBe(0);
});

test('a signal that was aborted before ends the wait at once', async () => {
  await expect(pause(100, AbortSignal.abort('superseded'))).rejects.toMatchObject({ cause: 'superseded' });
  expect(vi.getTimerCount()).toBe(0);
});
