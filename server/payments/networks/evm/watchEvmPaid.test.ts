import { numberToHex, pad, toEventSelector } from 'viem';
import { expect, test } from 'vitest';
import type { JournaledTransaction } from '../../ledger/ledgerTypes.ts';
import type { PaidOnChain } from '../../recheck.ts';
import type { Broadcast } from './broadcaster.ts';
import { createPaidWatch } from './watchEvmPaid.ts';

const asset = pad('0xa5', { size: 20 });
const payment = {
  ...{ from: pad('0x3', { size: 20 }), to: pad('0x4', { size: 20 }), value: 20_000n, validAfter: 0n, validBefore: 9n },
  ...{ nonce: pad('0x5'), signature: '0xabcd' as const },
};
const transactionOf = (index: number, raw = '0x02'): JournaledTransaction => ({
  hash: pad(numberToHex(index)),
  raw,
  nonce: index,
  fromBlock: BigInt(100 + index),
});

/** Watches a payment. Returns what is rechecked, and the transactions that are broadcast again. */
function watch(
  paid: { transaction: string; sent: JournaledTransaction[]; block?: bigint },
  outcome: Broadcast = 'sent',
) {
  const added: PaidOnChain[] = [];
  const resent: unknown[] = [];
  const since: unknown[] = [];
  createPaidWatch({
    asset,
    recheck: { add: (entry) => void added.push(entry) },
    verifier: {
      hasExpired: async () => false,
      readStatus: async (_: unknown, from: bigint | undefined) => {
        since.push(from);
        return { kind: 'unused' };
      },
    } as never,
    sender: {
      resend: async (transaction: JournaledTransaction) => {
        resent.push(transaction.nonce);
        return outcome;
      },
    } as never,
  })({ key: 'the key', payment }, paid);
  return { entry: added[0] as PaidOnChain, resent, since };
}

test('rechecks the transaction that paid, from its block, and broadcasts it again', async () => {
  const sent = [transactionOf(1), transactionOf(2), transactionOf(3)];
  const { entry, resent, since } = watch({ transaction: pad('0x2'), sent, block: 150n });
  expect(entry).toMatchObject({ key: 'the key', hash: pad('0x2'), block: 150n, again: { id: pad('0x2') } });
  expect(await entry.again.send()).toBe(true);
  expect(resent).toEqual([2]);
  expect(await entry.readStatus()).toEqual({ kind: 'open' });
  expect(since).toEqual([101n]);
});

test('an unknown block is that from which the transaction was searched', () => {
  expect(watch({ transaction: pad('0x2'), sent: [transactionOf(1), transactionOf(2)] }).entry.block).toBe(102n);
  expect(watch({ transaction: pad('0x9'), sent: [transactionOf(1)] }).entry.block).toBeUndefined();
});

test("broadcasts our newest transaction again if a third party's paid", async () => {
  const { entry, resent } = watch({
    transaction: pad('0x9'),
    sent: [transactionOf(0), transactionOf(1), transactionOf(2)],
  });
  expect(entry).toMatchObject({ hash: pad('0x9'), again: { id: pad('0x2') } });
  expect(await entry.again.send()).toBe(true);
  expect(resent).toEqual([2]);
});

test('broadcasts nothing that a remote facilitator sent', async () => {
  const { entry, resent, since } = watch({ transaction: pad('0x2'), sent: [transactionOf(2, '')] });
  expect(entry).toMatchObject({ hash: pad('0x2'), again: { id: pad('0x2') } });
  expect(entry.block).toBeUndefined();
  expect(await entry.again.send()).toBe(false);
  expect(resent).toEqual([]);
  await entry.readStatus();
  expect(since).toEqual([102n]);
});

test.each([
  ['sent', true],
  ['unknown', true],
  ['rejected', true],
  ['tooLate', false],
] as const)('a broadcast that is %s can still pay: %s', async (outcome, canPay) => {
  expect(await watch({ transaction: pad('0x1'), sent: [transactionOf(1)] }, outcome).entry.again.send()).toBe(canPay);
});

test('a payment without a journaled transaction is searched in the latest blocks only', async () => {
  const { entry, since } = watch({ transaction: pad('0x2'), sent: [] });
  await entry.readStatus();
  expect(since).toEqual([undefined]);
});

test('a receipt counts only if it contains this payment', () => {
  const { entry } = watch({ transaction: pad('0x1'), sent: [transactionOf(1)] });
  const log = (logIndex: number, topics: `0x${string}`[], data: `0x${string}`) => ({
    address: asset,
    topics,
    data,
    logIndex: numberToHex(logIndex),
  });
  const used = log(0, [toEventSelector('AuthorizationUsed(address,bytes32)'), pad(payment.from), payment.nonce], '0x');
  const transfer = log(
    1,
    [toEventSelector('Transfer(address,address,uint256)'), pad(payment.from), pad(payment.to)],
    pad(numberToHex(20_000)),
  );
  const receipt = { status: '0x1', transactionHash: pad('0x1'), blockNumber: '0x5' } as const;
  expect(entry.isPaidIn?.({ ...receipt, logs: [used, transfer] })).toBe(true);
  expect(entry.isPaidIn?.({ ...receipt, logs: [used] })).toBe(false);
});
