import { expect, test } from 'vitest';
import { refuseBlocked, refuseFreeCalls, refuseLimited, refusePaused, refuseTooMany } from './refusals.ts';

test.each([
  ['a wallet above its request limit', refuseTooMany('0x01', 7), 7],
  ['a paused wallet', refusePaused('0x01', 61), 61],
  ['an IP address without free calls', refuseFreeCalls(3_600), 3_600],
  ['a used-up gas budget', refuseLimited({ detail: 'Too much gas.', retryAfterSeconds: 90 }), 90],
])('the refusal of %s contains the time to retry, in the header and in the detail', (_reason, refusal, seconds) => {
  expect(refusal).toMatchObject({ status: 429, headers: { 'Retry-After': String(seconds) } });
  expect(refusal.detail).toContain(`in ${seconds} s`);
});

test('the refusal after a failed read before the charge contains the time to retry of that failure', () => {
  const refusal = refuseBlocked({
    kind: 'unavailable',
    code: 'DEADLINE_EXCEEDED',
    detail: 'Slow.',
    retryAfterSeconds: 11,
  });
  expect(refusal).toMatchObject({ status: 503, headers: { 'Retry-After': '11' } });
  expect(refusal.detail).toContain('in 11 s');
});
