import { type Hex, pad, toEventSelector, toHex } from 'viem';
import { expect, test } from 'vitest';
import type { SignedAuthorization } from './authorization.ts';
import {
  authorizationCanceledTopic,
  authorizationUsedTopic,
  countPaid,
  feeOf,
  findAuthorizationUse,
  paidInReceipt,
  type ReceiptLog,
} from './paidInReceipt.ts';

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const payment: SignedAuthorization = {
  from: '0x1111111111111111111111111111111111111111',
  to: '0x2222222222222222222222222222222222222222',
  value: 20_000n,
  validAfter: 0n,
  validBefore: 9n,
  nonce: `0x${'ab'.repeat(32)}`,
  signature: '0x',
};
const transferTopic = toEventSelector('Transfer(address,address,uint256)');
const log = (logIndex: number, topics: Hex[], data: Hex = '0x', address: Hex = usdc): ReceiptLog => ({
  address,
  topics,
  data,
  logIndex: toHex(logIndex),
});
const used = (index: number) => log(index, [authorizationUsedTopic, pad(payment.from), payment.nonce]);
const transfer = (index: number, to: Hex = payment.to, value = payment.value, address: Hex = usdc) =>
  log(index, [transferTopic, pad(payment.from), pad(to)], pad(toHex(value)), address);
const paid = (logs: ReceiptLog[], status: Hex = '0x1') =>
  paidInReceipt({ status, transactionHash: '0x', blockNumber: '0x1', logs }, usdc, payment);

test('default: paid by a transfer directly after the use, also inside a bundle', () => {
  expect(paid([used(0), transfer(1)])).toBe(true);
  expect(paid([transfer(4, payment.from), used(5), transfer(6)])).toBe(true);
});

test('behavior: not paid by another transfer in the same bundle', () => {
  // The payer used this nonce for a transfer to itself; the next transfer pays us for another call.
  expect(paid([used(0), transfer(1, payment.from), transfer(2)])).toBe(false);
  expect(paid([transfer(0), used(1)])).toBe(false);
});

test.each([
  ['a transfer to another payee', [used(0), transfer(1, payment.from)]],
  ['a lower amount', [used(0), transfer(1, payment.to, payment.value - 1n)]],
  ['a higher amount', [used(0), transfer(1, payment.to, payment.value + 1n)]],
  ['another token', [used(0), transfer(1, payment.to, payment.value, payment.from)]],
  ['a use without a transfer', [used(0)]],
  ['a transfer without a use', [transfer(1)]],
  ['a cancellation', [log(0, [authorizationCanceledTopic, pad(payment.from), payment.nonce]), transfer(1)]],
])('behavior: not paid by %s', (_name, logs) => {
  expect(paid(logs)).toBe(false);
});

test('behavior: distinguishes a cancellation, another payee, another amount and no transfer', () => {
  const use = (logs: ReceiptLog[]) =>
    findAuthorizationUse({ status: '0x1', transactionHash: '0x', blockNumber: '0x1', logs }, usdc, payment);
  expect(use([used(0), transfer(1)])).toEqual({ kind: 'paid' });
  expect(use([log(0, [authorizationCanceledTopic, pad(payment.from), payment.nonce])])).toEqual({ kind: 'cancelled' });
  expect(use([used(0), transfer(1, payment.from)])).toEqual({ kind: 'moved', to: payment.from, value: payment.value });
  expect(use([used(0), transfer(1, payment.to, 1n)])).toEqual({ kind: 'moved', to: payment.to, value: 1n });
  expect(use([used(0)])).toEqual({ kind: 'unclear' });
  expect(use([transfer(1)])).toBeUndefined();
});

test('behavior: not paid by a reverted transaction', () => {
  expect(paid([used(0), transfer(1)], '0x0')).toBe(false);
});

const receiptOf = (logs: ReceiptLog[], fees: object = {}) =>
  ({ status: '0x1', transactionHash: '0x', blockNumber: '0x1', logs, ...fees }) as const;

test.each([
  [{ gasUsed: 7n, effectiveGasPrice: 3n }, 21n],
  [{ gasUsed: 7n, effectiveGasPrice: 3n, l1Fee: 5n }, 26n],
  [{ gasUsed: 7n, effectiveGasPrice: 3n, l1Fee: null }, 21n],
  [{ gasUsed: 7n }, undefined],
  [{ effectiveGasPrice: 3n, gasUsed: null }, undefined],
])('computes the fee of a transaction, undefined without gas or price (%#)', (fees, fee) => {
  expect(feeOf(receiptOf([], fees))).toBe(fee);
});

test('counts the AuthorizationUsed logs of the token, at least 1', () => {
  expect(countPaid(receiptOf([]), usdc)).toBe(1);
  expect(countPaid(receiptOf([transfer(0), transfer(1)]), usdc)).toBe(1);
  expect(countPaid(receiptOf([used(0), transfer(1), used(2), transfer(3)]), usdc)).toBe(2);
  const elsewhere = log(2, [authorizationUsedTopic, pad(payment.from), payment.nonce], '0x', payment.from);
  expect(countPaid(receiptOf([used(0), transfer(1), elsewhere]), usdc)).toBe(1);
});

test('reads one receipt for two tokens, the second time from the cache', () => {
  const receipt = receiptOf([used(0), transfer(1)]);
  expect(paidInReceipt(receipt, payment.from, payment)).toBe(false);
  expect(paidInReceipt(receipt, usdc, payment)).toBe(true);
  expect(paidInReceipt(receipt, usdc, payment)).toBe(true);
});

const approvalTopic = toEventSelector('Approval(address,address,uint256)');
const amount = pad(toHex(payment.value));

test.each([
  ['another event', log(1, [approvalTopic, pad(payment.from), pad(payment.to)], amount)],
  ['a transfer of another payer', log(1, [transferTopic, pad(payment.to), pad(payment.to)], amount)],
  ['a transfer without a recipient', log(1, [transferTopic, pad(payment.from)], amount)],
  ['a transfer of another format', log(1, [transferTopic, pad(payment.from), pad(payment.to)], `${amount}00`)],
  ['a transfer that is not adjacent', transfer(2)],
])('unclear when the use is followed by %s', (_, next) => {
  expect(findAuthorizationUse(receiptOf([used(0), next]), usdc, payment)).toEqual({ kind: 'unclear' });
});

test('ignores a use by another payer, and a use or cancellation of another nonce', () => {
  const nonce: Hex = `0x${'cd'.repeat(32)}`;
  const use = (topics: Hex[]) => findAuthorizationUse(receiptOf([log(0, topics), transfer(1)]), usdc, payment);
  expect(use([authorizationUsedTopic, pad(payment.from), nonce])).toBeUndefined();
  expect(use([authorizationUsedTopic, pad(payment.to), payment.nonce])).toBeUndefined();
  expect(use([authorizationUsedTopic])).toBeUndefined();
  expect(use([authorizationCanceledTopic, pad(payment.from), nonce])).toBeUndefined();
  expect(use([authorizationCanceledTopic, pad(payment.from), payment.nonce])).toEqual({ kind: 'cancelled' });
});

test('two payers may use the same nonce in one transaction', () => {
  const second = { ...payment, from: '0x3333333333333333333333333333333333333333' as const };
  const of = (from: Hex, logIndex: number) => [
    log(logIndex, [authorizationUsedTopic, pad(from), payment.nonce]),
    log(logIndex + 1, [transferTopic, pad(from), pad(payment.to)], amount),
  ];
  const receipt = receiptOf([...of(payment.from, 0), ...of(second.from, 2)]);
  expect([payment, second].map((each) => paidInReceipt(receipt, usdc, each))).toEqual([true, true]);
});
