import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { shareRead } from './shareRead.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Reads that count; a test resolves them. */
function countedReads() {
  const pending: { resolve(value: number): void; reject(error: Error): void }[] = [];
  const read = () => new Promise<number>((resolve, reject) => void pending.push({ resolve, reject }));
  return { shared: shareRead(read, 1_000), pending };
}
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

test('callers share one read until it is old', async () => {
  const { shared, pending } = countedReads();
  const reads = [shared.read(), shared.read()];
  pending[0]?.resolve(1);
  expect(await Promise.all(reads)).toEqual([1, 1]);
  pass(999);
  expect(await shared.read()).toBe(1);
  expect(pending).toHaveLength(1);
});

test('returns the old value for half of its life while the next one is read', async () => {
  const { shared, pending } = countedReads();
  void shared.read();
  pending[0]?.resolve(1);
  pass(1_000);
  expect(await shared.read()).toBe(1);
  expect(pending).toHaveLength(2);
  pending[1]?.resolve(2);
  expect(await shared.read()).toBe(2);
  pass(1_499);
  expect(await shared.read()).toBe(2);
  expect(pending).toHaveLength(3);
});

test('waits for the next value if the old one is older than that', async () => {
  const { shared, pending } = countedReads();
  void shared.read();
  pending[0]?.resolve(1);
  pass(1_500);
  const next = shared.read();
  pending[1]?.resolve(2);
  expect(await next).toBe(2);
});

test('a failed read is not cached, and does not discard a newer one', async () => {
  const { shared, pending } = countedReads();
  const failing = shared.read();
  pending[0]?.reject(new Error('no node'));
  await expect(failing).rejects.toThrow('no node');
  const older = shared.read();
  pass(1_500);
  const newer = shared.read();
  pending[1]?.reject(new Error('late'));
  await expect(older).rejects.toThrow('late');
  pending[2]?.resolve(3);
  expect(await newer).toBe(3);
  expect(await shared.read()).toBe(3);
  expect(pending).toHaveLength(3);
});

test('a forgotten value is read again', async () => {
  const { shared, pending } = countedReads();
  void shared.read();
  pending[0]?.resolve(1);
  shared.forget();
  const next = shared.read();
  pending[1]?.resolve(2);
  expect(await next).toBe(2);
});
