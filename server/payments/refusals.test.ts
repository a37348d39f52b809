import { expect, test } from 'vitest';
import { refuseBlocked, refuseFreeCalls, refuseLimited, refusePaused, refuseTooMany } from './refusals.ts';

test.each([
  ['an address above its rate', refuseTooMany('0x01', 7), 7],
  ['a paused wallet', refusePaused('0x01', 61), 61],
  ['an address without free calls', refuseFreeCalls(3_600), 3_600],
  ['a spent gas budget', refuseLimited({ detail: 'Too much gas.', retryAfterSeconds: 90 }), 90],
])('%s states when to retry, in the header and in the detail', (_who, refusal, seconds) => {
  expect(refusal).toMatchObject({ status: 429, headers: { 'Retry-After': String(seconds) } });
  expect(refusal.detail).toContain(`in ${seconds} s`);
});

test('a failed read before the charge states its own time to retry', () => {
  const refusal = refuseBlocked({
    kind: 'unavailable',
    code: 'DEADLINE_EXCEEDED',
    detail: 'Slow.',
    retryAfterSeconds: 11,
  });
  expect(refusal).toMatchObject({ status: 503, headers: { 'Retry-After': '11' } });
  expect(refusal.detail).toContain('in 11 s');
});
