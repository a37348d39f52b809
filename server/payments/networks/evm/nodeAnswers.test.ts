import { pad } from 'viem';
import { describe, expect, test } from 'vitest';
import { ChainUnreachableError } from '../../chainCall.ts';
import {
  assertReceiptOf,
  bool,
  bytes,
  count,
  header,
  loggedEvents,
  quantity,
  rawQuantity,
  receipt,
} from './nodeAnswers.ts';

const accepts = (shape: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  shape.safeParse(value).success;
const hash = pad('0xab');

describe('a quantity', () => {
  test.each([
    ['0x0', 0n],
    ['0x2105', 8453n],
    ['0x0000000000000001', 1n],
    [`0x${'f'.repeat(64)}`, 2n ** 256n - 1n],
    ['0xAB', 171n],
  ])('%s is a number', (value, expected) => {
    expect(quantity.parse(value)).toBe(expected);
    expect(rawQuantity.parse(value)).toBe(value);
  });
  test.each(['0x', '', '12', 'x0x1', '0x1 ', '0xg', `0x${'f'.repeat(65)}`, 1, null, undefined])(
    '%s is none',
    (value) => {
      expect([accepts(quantity, value), accepts(rawQuantity, value)]).toEqual([false, false]);
    },
  );
});

test('a count is a number that JavaScript represents exactly', () => {
  expect(count.parse('0x1fffffffffffff')).toBe(Number.MAX_SAFE_INTEGER);
  expect(accepts(count, '0x20000000000000')).toBe(false);
});

test('bytes have two digits each', () => {
  expect([bytes.parse('0x'), bytes.parse('0x0aFf')]).toEqual(['0x', '0x0aFf']);
  expect(['0x0', '0x0g', 'a0x00', '0x00 '].map((value) => accepts(bytes, value))).toEqual([false, false, false, false]);
});

test('a bool is a word that is 0 or 1', () => {
  expect([bool.parse(pad('0x0')), bool.parse(pad('0x1'))]).toEqual([false, true]);
  const others = [pad('0x2'), pad('0x10'), '0x1', '0x', `${pad('0x1')}00`, `00${pad('0x1')}`];
  expect(others.map((value) => accepts(bool, value))).toEqual(others.map(() => false));
});

test('a header may have no base fee', () => {
  const read = { number: 1n, timestamp: 2n, timestampMs: 2_000n };
  expect(header.parse({ number: '0x1', timestamp: '0x2' })).toEqual(read);
  expect(header.parse({ number: '0x1', timestamp: '0x2', baseFeePerGas: null })).toEqual({
    ...read,
    baseFeePerGas: null,
  });
  expect(accepts(header, { number: '0x1' })).toBe(false);
  expect(accepts(header, null)).toBe(false);
});

const log = { address: `0x${'11'.repeat(20)}`, topics: [hash], data: '0x', logIndex: '0x0' };
const mined = { status: '0x1', transactionHash: hash, blockNumber: '0x5', logs: [log] };

test('a receipt has a status, a hash and a block, and may have the parts of a fee', () => {
  expect(receipt.parse(mined)).toEqual(mined);
  expect(receipt.parse({ ...mined, gasUsed: '0x2', effectiveGasPrice: '0x3', l1Fee: null })).toEqual({
    ...mined,
    gasUsed: 2n,
    effectiveGasPrice: 3n,
    l1Fee: null,
  });
  expect(receipt.parse(null)).toBeNull();
});

test.each([
  ['a pending transaction', { ...mined, blockNumber: null }],
  ['another status', { ...mined, status: '0x2' }],
  ['no logs', { ...mined, logs: undefined }],
  ['a short hash', { ...mined, transactionHash: '0xab' }],
  ['a log with a long address', { ...mined, logs: [{ ...log, address: `0x${'11'.repeat(21)}` }] }],
  ['a log with a short topic', { ...mined, logs: [{ ...log, topics: ['0xab'] }] }],
  ['nothing', undefined],
])('no receipt: %s', (_name, value) => {
  expect(accepts(receipt, value)).toBe(false);
});

test('an event of a log search names its transaction', () => {
  expect(loggedEvents.parse([{ ...log, transactionHash: hash }])).toEqual([{ ...log, transactionHash: hash }]);
  expect(accepts(loggedEvents, [log])).toBe(false);
});

test('error: a receipt of another transaction', () => {
  expect(() => assertReceiptOf({ transactionHash: hash }, pad('0xAB'))).not.toThrow();
  expect(() => assertReceiptOf({ transactionHash: pad('0xAB') }, hash)).not.toThrow();
  expect(() => assertReceiptOf({ transactionHash: hash }, pad('0xac'))).toThrow(ChainUnreachableError);
});

test.each([
  ['0x1', '0x1'],
  ['0x01', '0x1'],
  ['0x00', '0x0'],
])('the status %s of a receipt is %s', (given, expected) => {
  const read = receipt.parse({ status: given, transactionHash: hash, blockNumber: '0x5', logs: [] });
  expect(read?.status).toBe(expected);
});

test('a status other than 0 and 1 is rejected', () => {
  expect(accepts(receipt, { status: '0x2', transactionHash: hash, blockNumber: '0x5', logs: [] })).toBe(false);
});
