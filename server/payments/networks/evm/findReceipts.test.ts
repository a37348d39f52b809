import { numberToHex, pad } from 'viem';
import { expect, test } from 'vitest';
import { createScriptedChain } from '../../../../tests/support/scriptedChain.ts';
import { ChainUnreachableError } from '../../chainCall.ts';
import type { EvmTransaction } from './evmTransaction.ts';
import { createReceiptFinder } from './findReceipts.ts';

const hashOf = (index: number) => pad(numberToHex(0xa0 + index));
const transactionOf = (index: number): EvmTransaction => ({
  hash: hashOf(index),
  raw: '0x02',
  nonce: 1,
  fromBlock: 1n,
});
const receiptOf = (index: number, block = 10) => ({
  status: '0x1',
  transactionHash: hashOf(index),
  blockNumber: numberToHex(block),
  logs: [],
});
const sent = [transactionOf(1), transactionOf(2)];

/** A node at block 10 with these receipts. */
function open({ receipts = [] as object[], acceptsPreconfirmed = false, head = 10 } = {}) {
  const scripted = createScriptedChain({
    eth_blockNumber: numberToHex(head),
    eth_getTransactionReceipt: ([hash]: readonly unknown[]) =>
      receipts.find((receipt) => 'transactionHash' in receipt && receipt.transactionHash === hash) ?? null,
  });
  return { ...createReceiptFinder({ chain: scripted.chain, acceptsPreconfirmed }), scripted, receipts };
}

/** A reply to a broadcast that the test ends. */
function pendingReply() {
  let end = { resolve: (): void => undefined, reject: (_: Error): void => undefined };
  const reply = new Promise<void>((resolve, reject) => {
    end = { resolve, reject };
  });
  return { reply, ...end };
}

test('finds the receipt of whichever transaction of a nonce was included', async () => {
  expect(await open({ receipts: [receiptOf(1)] }).find(sent)).toEqual(receiptOf(1));
  expect(await open({ receipts: [receiptOf(2)] }).find(sent)).toEqual(receiptOf(2));
  expect(await open().find(sent)).toBeUndefined();
});

test('reads head and receipts in one verified batch', async () => {
  const { find, scripted } = open();
  await find(sent);
  expect(scripted.requests).toEqual([
    { method: 'eth_blockNumber', params: [], isVerified: true },
    { method: 'eth_getTransactionReceipt', params: [hashOf(1)], isVerified: true },
    { method: 'eth_getTransactionReceipt', params: [hashOf(2)], isVerified: true },
  ]);
});

test.each([
  [10, false, true],
  [11, false, false],
  [11, true, true],
])(
  'a receipt in block %d at head 10 (preconfirmed receipts count: %s) counts: %s',
  async (block, acceptsPreconfirmed, counts) => {
    const receipt = receiptOf(1, block);
    const { find, note, takeNoted } = open({ receipts: [receipt], acceptsPreconfirmed });
    expect(await find(sent)).toEqual(counts ? receipt : undefined);
    note(hashOf(1), { receipt, head: '0xa' });
    expect(takeNoted(sent)).toEqual(counts ? receipt : undefined);
  },
);

test('error: the node returns the receipt of another transaction', async () => {
  const { find, scripted } = open();
  scripted.results.eth_getTransactionReceipt = receiptOf(3);
  await expect(find(sent)).rejects.toThrow(ChainUnreachableError);
});

test('a noted receipt is returned once', () => {
  const { note, takeNoted } = open();
  note(hashOf(2), { receipt: receiptOf(2), head: '0xa' });
  expect(takeNoted([transactionOf(1)])).toBeUndefined();
  expect(takeNoted(sent)).toEqual(receiptOf(2));
  expect(takeNoted(sent)).toBeUndefined();
});

test('notes a receipt whose hash has other letters', () => {
  const { note, takeNoted } = open();
  const receipt = { ...receiptOf(1), transactionHash: pad('0xA1') };
  note(hashOf(1), { receipt, head: '0xa' });
  expect(takeNoted(sent)).toEqual(receipt);
});

test.each([
  ['a receipt of another form', { ...receiptOf(1), status: '0x5' }, '0xa'],
  ['no receipt', null, '0xa'],
  ['a head of another form', receiptOf(1), null],
  ['the receipt of another transaction', receiptOf(2), '0xa'],
])('does not note %s', (_name, receipt, head) => {
  const { note, takeNoted } = open();
  note(hashOf(1), { receipt, head });
  expect(takeNoted(sent)).toBeUndefined();
});

test('reads the receipts once while the reply to the broadcast is pending', async () => {
  const { findEarly, note, takeNoted, scripted } = open({ receipts: [receiptOf(2)] });
  const { reply, resolve } = pendingReply();
  expect(await findEarly(sent, reply)).toEqual(receiptOf(2));
  expect(scripted.methods()).toEqual(['eth_blockNumber', 'eth_getTransactionReceipt', 'eth_getTransactionReceipt']);
  // The reply contains the same receipt.
  note(hashOf(2), { receipt: receiptOf(2), head: '0xa' });
  expect(takeNoted(sent)).toBeUndefined();
  resolve();
  await reply;
  await Promise.resolve();
  note(hashOf(2), { receipt: receiptOf(2), head: '0xa' });
  expect(takeNoted(sent)).toEqual(receiptOf(2));
});

test('a broadcast that fails after its receipt was read does not end the process', async () => {
  const { findEarly } = open({ receipts: [receiptOf(2)] });
  const { reply, reject } = pendingReply();
  expect(await findEarly(sent, reply)).toEqual(receiptOf(2));
  reject(new Error('a bug'));
  await expect(reply).rejects.toThrow('a bug');
});

test('waits for the reply if there is no receipt yet', async () => {
  const { findEarly } = open();
  const { reply, resolve } = pendingReply();
  let isDone = false;
  const early = findEarly(sent, reply).finally(() => {
    isDone = true;
  });
  await new Promise(setImmediate);
  expect(isDone).toBe(false);
  resolve();
  expect(await early).toBeUndefined();
});

test('reads nothing early if the reply has arrived', async () => {
  const { findEarly, scripted } = open({ receipts: [receiptOf(2)] });
  expect(await findEarly(sent, undefined)).toBeUndefined();
  expect(scripted.requests).toEqual([]);
});
