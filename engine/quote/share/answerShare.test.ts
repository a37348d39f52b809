import { expect, test } from 'vitest';
import { type AnswerShare, answerTogether, fromText, type SharedText, toText } from './answerShare.ts';

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
