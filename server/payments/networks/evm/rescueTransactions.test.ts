import { type Hex, keccak256 } from 'viem';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { followIn, openFollower, payer } from '../../../../tests/support/openFollower.ts';
import { startMs } from '../../../../tests/support/signedPayments.ts';
import { useVirtualTime, type VirtualTime } from '../../../../tests/support/virtualTime.ts';
import { LedgerOrderError } from '../../ledger/ledgerOrderError.ts';
import type { EvmTransaction } from './evmTransaction.ts';

let time: VirtualTime;
beforeEach(() => {
  time = useVirtualTime(startMs);
});
afterEach(() => time.restore());

const open = () => openFollower(time);

test('broadcasts an earlier transaction that another replica journaled but did not send', async () => {
  const opened = open();
  const transaction = await opened.send();
  opened.node.open = [{ ...transaction, raw: '0x02ff', nonce: 7 }];
  followIn(opened, [{ ...transaction, nonce: 8 }]);
  await time.advance(2_200);
  expect(opened.paramsOf('sendRaw').map((params) => (params as string[])[0])).toEqual([
    transaction.raw,
    transaction.raw,
    '0x02ff',
  ]);
});

test('ends as stranded if a lower nonce is in no journal after the time for a higher fee', async () => {
  const opened = open();
  const transaction = { ...(await opened.send()), nonce: 9 };
  const result = followIn(opened, [transaction]);
  await time.advance(14_000);
  expect(result).toEqual({});
  await time.advance(2_000);
  expect(result).toEqual({ end: { kind: 'stranded' } });
});

/** The raised transaction as the journal contains it. */
const rawToTransaction = (transaction: EvmTransaction, raw: string): EvmTransaction => ({
  ...transaction,
  raw: raw as Hex,
  hash: keccak256(raw as Hex),
  fromBlock: 10n,
});

test('raises the fee for all payments of a transaction, up to what they can afford together', async () => {
  const opened = open();
  const transaction = await opened.send();
  opened.node.baseFee = 500;
  const [first, second] = [[transaction], [transaction]];
  const results = [followIn(opened, first, payer('a', 55_000_000n)), followIn(opened, second, payer('b', 35_000_000n))];
  await time.advance(16_000);
  expect(opened.journaled).toEqual([['a', 'b']]);
  // The raised transaction pays up to 900 wei for each of 100,000 gas.
  const raised = opened.paramsOf('sendRaw').at(-1) as [string, boolean];
  expect(raised[0]).not.toBe(transaction.raw);
  // Payments that follow now share the requests, whichever transaction they know.
  const [older, newer] = [[transaction], [transaction, rawToTransaction(transaction, raised[0])]];
  results.push(followIn(opened, older, payer('c')), followIn(opened, newer, payer('d')));
  opened.include(transaction);
  await time.advance(1_000);
  expect(results.slice(0, 2)).toEqual([
    { end: expect.objectContaining({ kind: 'mined' }) },
    { end: expect.anything() },
  ]);
  expect(first).toEqual([transaction, { ...first[1], nonce: 7, raw: raised[0] }]);
  expect([second, older, newer]).toEqual([first, first, first]);
  expect(results.every(({ end }) => end === results[0]?.end)).toBe(true);
  // Receipts of both are read.
  expect(opened.paramsOf('eth_getTransactionReceipt')).toContainEqual([first[1]?.hash]);
});

test.each([
  ['an amount is not known', [10n ** 15n, undefined]],
  ['both together cannot afford it', [16_500_000n, 17_299_999n]],
])('does not raise the fee if %s', async (_name, amounts) => {
  const opened = open();
  const transaction = await opened.send();
  opened.node.baseFee = 500;
  const results = [...amounts.entries()].map(([index, amount]) =>
    followIn(opened, [transaction], { key: `${index}`, affordableWei: async () => amount }),
  );
  await time.advance(20_000);
  expect(opened.journaled).toEqual([]);
  // They still wait for the transaction as it is.
  expect(results).toEqual([{}, {}]);
});

test('does not raise the fee of a transaction that no payment follows', async () => {
  const opened = open();
  const transaction = await opened.send();
  opened.node.baseFee = 500;
  void opened.follower.ended(transaction);
  await time.advance(20_000);
  expect(opened.journaled).toEqual([]);
  expect(opened.timesOf('eth_maxPriorityFeePerGas')).toEqual([]);
});

test('polls on if another replica owns one of the payments', async () => {
  const opened = open();
  const transaction = await opened.send();
  Object.assign(opened.node, { baseFee: 500, journalFault: new LedgerOrderError('It belongs to another replica.') });
  const sent = [transaction];
  const result = followIn(opened, sent);
  await time.advance(16_000);
  expect(opened.lines).toEqual([
    {
      network: 'eip155:8453',
      hash: transaction.hash,
      message: 'The fee of a transaction cannot be raised: another replica owns one of its payments',
    },
  ]);
  opened.include(transaction);
  await time.advance(1_000);
  expect(result.end).toMatchObject({ kind: 'mined' });
  expect(sent).toEqual([transaction]);
});

test('error: the journal fails while the fee is raised', async () => {
  const opened = open();
  const transaction = await opened.send();
  Object.assign(opened.node, { baseFee: 500, journalFault: new Error('full') });
  const result = followIn(opened, [transaction]);
  await time.advance(16_000);
  expect(result.error).toEqual(new Error('full'));
});
