import { expect, test } from 'vitest';
import { replayEnds } from './replayWindow.ts';

const minute = 60_000;
const answeredAt = 1_000_000;
const identifier = 'order-0000000001';

test.each([
  ['for a day with an identifier', { identifier, expiresAt: answeredAt + minute }, 24 * 60 * minute],
  ['until an expiry within ten minutes', { identifier: undefined, expiresAt: answeredAt + minute }, minute],
  [
    'for ten minutes if the payment expires later',
    { identifier: undefined, expiresAt: answeredAt + 60 * minute },
    10 * minute,
  ],
  ['for ten minutes without an expiry', { identifier: undefined, expiresAt: undefined }, 10 * minute],
])('replays an answer %s', (_duration, payment, ms) => {
  expect(replayEnds({ answeredAt }, payment) - answeredAt).toBe(ms);
});
