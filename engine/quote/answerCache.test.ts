import { expect, test } from 'vitest';
import { createAnswerCache } from './answerCache.ts';

test('default: one read for all who ask, until the answer is over', async () => {
  let now = 0;
  let reads = 0;
  const cache = createAnswerCache<{ validUntil: number }>(() => now);
  const make = async () => ({ validUntil: now + 10, read: ++reads });
  const [first, second] = await Promise.all([cache.get('a', make), cache.get('a', make)]);
  expect(first).toBe(second);
  now = 9;
  expect(await cache.get('a', make)).toBe(first);
  now = 10;
  expect(await cache.get('a', make)).not.toBe(first);
  expect(reads).toBe(2);
});

test('behavior: a failed read reaches all who wait and is not kept', async () => {
  const cache = createAnswerCache<{ validUntil: number }>(() => 0);
  const fails = () => Promise.reject(new RangeError('once'));
  const both = [cache.get('a', fails), cache.get('a', fails)];
  for (const each of both) await expect(each).rejects.toThrow('once');
  expect(await cache.get('a', async () => ({ validUntil: 1 }))).toEqual({ validUntil: 1 });
});

test('behavior: the least recently asked leaves when the cache is full', async () => {
  const cache = createAnswerCache<{ validUntil: number }>(() => 0, { limit: 2 });
  const made: string[] = [];
  const ask = (key: string) =>
    cache.get(key, async () => {
      made.push(key);
      return { validUntil: 1 };
    });
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await ask(key);
  expect(made).toEqual(['a', 'b', 'c', 'b']);
});
