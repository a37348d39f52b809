import { expect, test } from 'vitest';
import { within } from './within.ts';

const never = new Promise<string>(() => {});

test('returns the result if it is in time', async () => {
  expect(await within(60_000, Promise.resolve('result'), 'late')).toBe('result');
});

test('returns the substitute after the time', async () => {
  expect(await within(1, never, 'late')).toBe('late');
});

test('a failure in time is thrown', async () => {
  await expect(within(60_000, Promise.reject(new RangeError('failed')), 'late')).rejects.toThrow('failed');
});
