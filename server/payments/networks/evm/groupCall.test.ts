import { concat, type Hex, numberToHex, pad, size } from 'viem';
import { expect, test } from 'vitest';
import type { SignedAuthorization } from './authorization.ts';
import {
  decodeGroupTrial,
  encodeGroup,
  encodeGroupTrial,
  fitsRecord,
  groupBytes,
  groupGasLimit,
  isGroup,
  recordsOfGroup,
} from './groupCall.ts';

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

/** The init code without records, as tests/payments/groupCall.test.ts executes it on a chain. */
const copies = [
  ...['60148160000161002c39', '60148160140161004c39', '60108160280161007039', '60088160380161009839'],
  ...['6008816040016100b839', '6020816048016100c039', '6001816068016100ff39', '60408160690161010039'],
].join('');
const callToken = `610124601c5f73${'cc'.repeat(20)}62011170f1`;
const next = '6100a901803811600a57';
const toResult = '6100cb90036100a9900461012002';

test('the init code is the one that is executed on a chain', () => {
  expect(encodeGroup(token, [], 70_000n)).toBe(`0x63e3ee160e5f526100895b${copies}5f5f${callToken}50${next}00`);
  const measure = '82525a900381602001526020513b81604001523d816060015250';
  expect(encodeGroupTrial(token, [], 70_000n)).toBe(
    `0x63e3ee160e5f526100cb5b${copies}80${toResult}610140015a60a082608001${callToken}${measure}${next}${toResult}610140f3`,
  );
});

test('a record contains payer, payee, amount, times, nonce, v, r and s, in lower case', () => {
  const payment = { ...paymentOf(1), from: `0x${'AB'.repeat(20)}` as const, validAfter: 7n, validBefore: 9n };
  const words = [`${'0'.repeat(28)}4e20`, `${'0'.repeat(15)}7`, `${'0'.repeat(15)}9`];
  const record = `${'ab'.repeat(20)}${'ee'.repeat(20)}${words.join('')}${'1'.repeat(64)}1b${'aa'.repeat(32)}${'bb'.repeat(32)}`;
  for (const encode of [encodeGroup, encodeGroupTrial]) {
    expect(encode(token, [payment], 1n)).toBe(encode(token, [], 1n) + record);
  }
});

test('recognises the init code of a group', () => {
  expect(isGroup(encodeGroup(token, [paymentOf(1)], 1n))).toBe(true);
  expect(isGroup(earlierGroup)).toBe(true);
  expect(isGroup('0xe3ee160e5f526100')).toBe(false);
  expect(isGroup('0x')).toBe(false);
});

const words = (...values: number[]): Hex => concat(values.map((value) => numberToHex(value, { size: 32 })));
const resultOf = (facts: Hex, returned: Hex = '0x') => pad(concat([facts, returned]), { size: 288, dir: 'right' });

test('decodes the results of a simulation', () => {
  const data = concat([
    resultOf(words(1, 61_000, 0, 0)),
    resultOf(words(0, 30_000, 23, 3), '0x0a0b0c'),
    resultOf(words(2, 1, 0, 500), `0x${'ab'.repeat(160)}`),
  ]);
  expect(decodeGroupTrial(data, 3)).toEqual([
    { success: true, gasUsed: 61_000n, isContract: false, returned: '0x' },
    { success: false, gasUsed: 30_000n, isContract: true, returned: '0x0a0b0c' },
    { success: false, gasUsed: 1n, isContract: false, returned: `0x${'ab'.repeat(160)}` },
  ]);
  expect(decodeGroupTrial(data, 2)).toBeUndefined();
  expect(decodeGroupTrial(`${data}00`, 3)).toBeUndefined();
  expect(decodeGroupTrial('0x', 0)).toEqual([]);
});

test.each([
  // A creation: 53,000 gas; 4 or 16 for a byte, 2 for a word; then each call, the last with 1/63 more, and 10,000.
  ['0x', 0, 0n, 63_000n],
  ['0x0001', 0, 0n, 63_022n],
  [`0x${'01'.repeat(32)}`, 0, 0n, 63_514n],
  [`0x${'01'.repeat(33)}`, 0, 0n, 63_532n],
  ['0x', 2, 63_000n, 63_000n + 2n * 63_600n + 1_000n],
] as const)('the gas limit of %s with %d calls of %d gas is %d', (data, count, gasEach, limit) => {
  expect(groupGasLimit(data, count, gasEach)).toBe(limit);
});
