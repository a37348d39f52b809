import { expect, test } from 'vitest';
import { DatabaseUnavailableError } from '../database/errors.ts';
import { createAnswerShare } from './answerShare.ts';
import type { SharedAnswers } from './sharedAnswers.ts';

const outage = new DatabaseUnavailableError('PostgreSQL does not answer (no reply).');
const made = { answer: 'own', validUntil: 1 };

/** Answers in a database of which every operation rejects. */
function rejecting(error: Error) {
  const keys: string[] = [];
  const reject = (key: string) => {
    keys.push(key);
    return Promise.reject(error);
  };
  const answers = { load: reject, beginReading: reject, save: reject, giveUp: reject, forgetBefore: async () => {} };
  return { answers: answers satisfies SharedAnswers, keys };
}

test('during an outage of the database each replica reads the chain itself', async () => {
  const faults: unknown[] = [];
  const { answers, keys } = rejecting(outage);
  const share = createAnswerShare(answers, '7', (fault) => faults.push(fault));
  expect(await share.load('q')).toBeUndefined();
  expect(await share.beginReading('q', 5_000)).toBe(true);
  expect(await share.save('q', made)).toBe(made);
  expect(await share.giveUp('q')).toBeUndefined();
  expect(keys).toEqual(['7|q', '7|q', '7|q', '7|q']);
  expect(faults).toEqual([outage, outage, outage, outage]);
});

test('another error is not taken for an outage', async () => {
  const bug = new TypeError('of the code');
  const faults: unknown[] = [];
  const share = createAnswerShare(rejecting(bug).answers, '7', (fault) => faults.push(fault));
  await expect(share.load('q')).rejects.toBe(bug);
  await expect(share.beginReading('q', 5_000)).rejects.toBe(bug);
  await expect(share.save('q', made)).rejects.toBe(bug);
  await expect(share.giveUp('q')).rejects.toBe(bug);
  expect(faults).toEqual([]);
});
