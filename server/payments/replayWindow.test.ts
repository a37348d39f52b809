import { expect, test } from 'vitest';
import { replayEnds } from './replayWindow.ts';

const minute = 60_000;
const answeredAt = 1_000_000;
const identifier = 'order-0000000001';

test.each([
  ['a named payment', { identifier, expiresAt: answeredAt + minute }, 24 * 60 * minute],
  ['an unnamed payment that expires soon', { identifier: undefined, expiresAt: answeredAt + minute }, minute],
  ['an unnamed payment that expires late', { identifier: undefined, expiresAt: answeredAt + 60 * minute }, 10 * minute],
  ['an unnamed payment without expiry', { identifier: undefined, expiresAt: undefined }, 10 * minute],
])('replays the answer of %s for its time', (_what, payment, ms) => {
  expect(replayEnds({ answeredAt }, payment) - answeredAt).toBe(ms);
});
