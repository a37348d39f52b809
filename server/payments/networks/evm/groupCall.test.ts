import { type Hex, size } from 'viem';
import { expect, test } from 'vitest';
import type { SignedAuthorization } from './authorization.ts';
import { encodeGroup, encodeGroupTrial, fitsRecord, groupBytes, recordsOfGroup } from './groupCall.ts';

// Execution is checked by tests/payments/groupCall.test.ts; here, the encoding.

const token = `0x${'cc'.repeat(20)}` as const;

const paymentOf = (digit: 1 | 2): SignedAuthorization => ({
  from: `0x${`${digit}`.repeat(40)}`,
  to: `0x${'ee'.repeat(20)}`,
  value: BigInt(20_000 * digit),
  validAfter: 0n,
  validBefore: 2n ** 64n - 1n,
  nonce: `0x${`${digit}`.repeat(64)}`,
  signature: `0x${'aa'.repeat(32)}${'bb'.repeat(32)}1b`,
});

const records = ([1, 2] as const).map((digit) => ({
  from: `${digit}`.repeat(40),
  value: BigInt(20_000 * digit)
    .toString(16)
    .padStart(64, '0'),
  nonce: `${digit}`.repeat(64),
}));

/** Records as an earlier release journaled them, with nine words each. */
const wholeWords = ([1, 2] as const)
  .flatMap((digit) => [
    `${digit}`.repeat(40).padStart(64, '0'),
    'ee'.repeat(20).padStart(64, '0'),
    BigInt(20_000 * digit)
      .toString(16)
      .padStart(64, '0'),
    '0'.repeat(64),
    'f'.repeat(64),
    `${digit}`.repeat(64),
    '1b'.padStart(64, '0'),
    'aa'.repeat(32),
    'bb'.repeat(32),
  ])
  .join('');
const earlierGroup: Hex = `0x63e3ee160e5f526100405b610120816020395f5f610124601c5f73${'cc'.repeat(20)}62011170f15061012001803811600a5700${wholeWords}`;

test.each([
  ['a group', encodeGroup(token, [paymentOf(1), paymentOf(2)], 70_000n)],
  ['a simulated group', encodeGroupTrial(token, [paymentOf(1), paymentOf(2)], 70_000n)],
  ['a group of an earlier release', earlierGroup],
])('reads the records of %s', (_, data) => {
  expect(recordsOfGroup(data)).toEqual(records);
});

test('a record is encoded in 169 bytes', () => {
  const sizeOf = (payments: SignedAuthorization[]) => encodeGroup(token, payments, 70_000n).length / 2;
  expect(sizeOf([paymentOf(1), paymentOf(2)]) - sizeOf([paymentOf(1)])).toBe(169);
});

test.each([
  ['value', 2n ** 128n],
  ['validAfter', 2n ** 64n],
  ['validBefore', 2n ** 64n],
] as const)('a record holds every %s below its limit', (field, limit) => {
  const payment = paymentOf(1);
  expect(fitsRecord({ ...payment, [field]: limit - 1n })).toBe(true);
  expect(fitsRecord({ ...payment, [field]: limit })).toBe(false);
});

test.each([0n, 70_000n, 150_000n])('groupBytes is the length of the init code with %i gas a call', (gas) => {
  const payments = [paymentOf(1), paymentOf(2), paymentOf(1)];
  expect(groupBytes(payments.length)).toBe(size(encodeGroup(token, payments, gas)));
});
