import { expect, test, vi } from 'vitest';
import { DeadlineExceededError } from '../../errors.ts';
import {
  type AnswerShare,
  answerTogether,
  createAnswerCache,
  fromText,
  type SharedText,
  toText,
} from './answerCache.ts';

test('default: callers share one read until the answer expires', async () => {
  let now = 1_000;
  let reads = 0;
  const cache = createAnswerCache<{ validUntil: number }>(() => now);
  const make = async () => ({ validUntil: now + 10, read: ++reads });
  const [first, second] = await Promise.all([cache.get('a', make), cache.get('a', make)]);
  expect(first).toBe(second);
  now = 1_009;
  expect(await cache.get('a', make)).toBe(first);
  now = 1_010;
  expect(await cache.get('a', make)).not.toBe(first);
  expect(reads).toBe(2);
});

test('behavior: a failed read reaches all waiting callers and is not cached', async () => {
  const cache = createAnswerCache<{ validUntil: number }>(() => 0);
  const fails = () => Promise.reject(new RangeError('once'));
  const both = [cache.get('a', fails), cache.get('a', fails)];
  for (const each of both) await expect(each).rejects.toThrow('once');
  expect(await cache.get('a', async () => ({ validUntil: 1 }))).toEqual({ validUntil: 1 });
});

test('behavior: a full cache evicts the least recently used entry', async () => {
  const cache = createAnswerCache<{ validUntil: number }>(() => 0, { limit: 2 });
  const made: string[] = [];
  const request = (key: string) =>
    cache.get(key, async () => {
      made.push(key);
      return { validUntil: 1 };
    });
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await request(key);
  expect(made).toEqual(['a', 'b', 'c', 'b']);
});

test('behavior: aborting one caller does not cancel the shared read, which is cached', async () => {
  const cache = createAnswerCache<{ validUntil: number }>(() => 0);
  let finish: (answer: { validUntil: number }) => void = () => {};
  let reads = 0;
  const make = () => {
    reads += 1;
    return new Promise<{ validUntil: number }>((resolve) => {
      finish = resolve;
    });
  };
  const aborting = new AbortController();
  const [first, second] = [cache.get('a', make, aborting.signal), cache.get('a', make)];
  aborting.abort(new RangeError('gone'));
  await expect(first).rejects.toThrow('gone');
  finish({ validUntil: 1 });
  expect(await second).toEqual({ validUntil: 1 });
  expect(await cache.get('a', make)).toBe(await second);
  await expect(cache.get('a', make, aborting.signal)).rejects.toThrow('gone');
  expect(reads).toBe(1);
});

test('behavior: callers that joined a read past its deadline share one retry', async () => {
  const cache = createAnswerCache<{ validUntil: number }>(() => 0);
  let reads = 0;
  const make = async () => {
    reads += 1;
    if (reads === 1) throw new DeadlineExceededError('base', 8_000);
    return { validUntil: 1 };
  };
  const [first, ...joined] = Array.from({ length: 100 }, () => cache.get('a', make));
  await expect(first).rejects.toThrow(DeadlineExceededError);
  expect(new Set(await Promise.all(joined)).size).toBe(1);
  expect(reads).toBe(2);

  const never = createAnswerCache<{ validUntil: number }>(() => 0);
  let tries = 0;
  const fails = async () => {
    tries += 1;
    throw new DeadlineExceededError('base', 8_000);
  };
  const all = await Promise.allSettled(Array.from({ length: 100 }, () => never.get('a', fails)));
  expect(all.every(({ status }) => status === 'rejected')).toBe(true);
  expect(tries).toBe(2);
});

test('default: onLookup is called with hit, coalesced or miss', async () => {
  let time = 0;
  const results: string[] = [];
  const cache = createAnswerCache<{ validUntil: number }>(() => time, { onLookup: (found) => results.push(found) });
  const make = async () => ({ validUntil: time + 10 });
  await Promise.all([cache.get('a', make), cache.get('a', make)]);
  await cache.get('a', make);
  time = 11;
  await cache.get('a', make);
  expect(results).toEqual(['miss', 'coalesced', 'hit', 'miss']);
});

test('default: has is true for a valid answer and for a running read, not after it expired or failed', async () => {
  let now = 0;
  const cache = createAnswerCache<{ validUntil: number }>(() => now);
  expect(cache.has('a')).toBe(false);
  const read = cache.get('a', async () => ({ validUntil: 10 }));
  expect(cache.has('a')).toBe(true);
  await read;
  now = 9;
  expect([cache.has('a'), cache.has('b')]).toEqual([true, false]);
  now = 10;
  expect(cache.has('a')).toBe(false);
  const failing = cache.get('a', () => Promise.reject(new RangeError('failed')));
  await expect(failing).rejects.toThrow('failed');
  expect(cache.has('a')).toBe(false);
});

test('behavior: no listener stays on the signal of a caller that was answered', async () => {
  const cache = createAnswerCache<{ validUntil: number }>(() => 0);
  const { signal } = new AbortController();
  const [added, removed] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')];
  await cache.get('a', async () => ({ validUntil: 1 }), signal);
  await expect.poll(() => removed.mock.calls.length).toBe(added.mock.calls.length);
});

test.each(['succeeds', 'fails'])(
  'behavior: an evicted read that %s does not affect the read that replaced it',
  async (end) => {
    const cache = createAnswerCache<{ validUntil: number }>(() => 0, { limit: 1 });
    let finish = () => {};
    const slow = new Promise<{ validUntil: number }>((resolve, reject) => {
      finish = () => (end === 'fails' ? reject(new RangeError('late')) : resolve({ validUntil: 1 }));
    });
    const evicted = cache.get('a', () => slow);
    await cache.get('b', async () => ({ validUntil: 1 }));
    const answer = { validUntil: 1 };
    await cache.get('a', async () => answer);
    finish();
    await evicted.catch(() => undefined);
    expect(await cache.get('a', async () => ({ validUntil: 1 }))).toBe(answer);
  },
);

/** A share in memory, in place of a database that several processes use. */
function memoryShare(now: () => number): AnswerShare {
  const answers = new Map<string, SharedText>();
  const reading = new Set<string>();
  return {
    load: async (query) => {
      const found = answers.get(query);
      return found && found.validUntil > now() ? found : undefined;
    },
    beginReading: async (query) => !reading.has(query) && Boolean(reading.add(query)),
    save: async (query, made) => {
      reading.delete(query);
      answers.set(query, made);
      return made;
    },
    giveUp: async (query) => void reading.delete(query),
  };
}

test('default: an answer keeps its bigints, nulls and missing fields', () => {
  const answer = { amount: 2n ** 255n, none: null, list: [-1n, { deep: 0n }], ratio: 0.1, text: '5n', validUntil: 7 };
  expect(fromText(toText(answer))).toEqual(answer);
});

test('behavior: ten concurrent callers share one read, and an expired answer is read again', async () => {
  let time = 0;
  let reads = 0;
  const share = memoryShare(() => time);
  const request = () => answerTogether(share, 'q', async () => ({ n: ++reads, validUntil: 100 }));
  const answers = await Promise.all(Array.from({ length: 10 }, request));
  expect(new Set(answers.map(({ n }) => n))).toEqual(new Set([1]));
  time = 100;
  expect((await request()).n).toBe(2);
});

test('behavior: another caller reads if the first read fails', async () => {
  let reads = 0;
  const share = memoryShare(() => 0);
  const request = () =>
    answerTogether(share, 'q', async () => {
      reads += 1;
      if (reads === 1) throw new RangeError('no node');
      return { n: reads, validUntil: 100 };
    });
  const outcomes = await Promise.allSettled([request(), request(), request()]);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  expect(reads).toBe(2);
});
