import { parseTransaction } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { beforeEach, expect, test } from 'vitest';
import type { EvmTransaction } from './evmTransaction.ts';
import { openKeyAccount } from './keyAccount.ts';
import { createTransactionSender } from './transactionSender.ts';

// The fees of a transaction that is pending too long.

const call = { to: `0x${'11'.repeat(20)}`, data: '0x01', gas: 100_000n } as const;
let repriced: (readonly string[])[] = [];
beforeEach(() => {
  repriced = [];
});

/** A sender whose node has these fees. */
function openWith(blockFee: bigint, tip: bigint) {
  const requests: string[] = [];
  const sender = createTransactionSender({
    account: openKeyAccount(generatePrivateKey()),
    chainId: 8453,
    chain: {
      sendRaw: async () => ({ outcome: 'sent' }),
      async call() {
        requests.push('tip');
        return tip as never;
      },
      async callVerified(method: string) {
        if (method !== 'eth_getBlockByNumber') return 7 as never;
        requests.push('block');
        return { number: 5n, timestamp: 0n, baseFeePerGas: blockFee } as never;
      },
    },
    ledger: {
      journalNext: async (_keys, { from }, sign) => sign(from),
      journalAll: async (keys) => void repriced.push(keys),
      loadOpenTransactions: async () => [],
    },
    logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  return { sender, requests };
}
const withTip = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint) => ({
  ...call,
  fees: { maxFeePerGas, maxPriorityFeePerGas, height: 5n, timestamp: 0n },
});
const feesOf = ({ raw }: EvmTransaction) => {
  const { maxFeePerGas, maxPriorityFeePerGas } = parseTransaction(raw);
  return [maxFeePerGas, maxPriorityFeePerGas];
};

test.each([
  // Twice the base fee and the tip of the node, with the tip limited to a replacement's.
  ['a higher base fee', 100n, 1n, withTip(100n, 8n), [201n, 10n]],
  ['a much higher tip of the node', 100n, 500n, withTip(100n, 8n), [210n, 10n]],
  ['a base fee that is hardly higher', 50n, 1n, withTip(100n, 8n), [113n, 10n]],
] as const)('a raise follows %s', async (_name, base, tip, sentCall, expected) => {
  const { sender } = openWith(base, tip);
  const transaction = await sender.send(sentCall, ['a']);
  const raised = await sender.reprice(transaction, ['a'], 10n ** 12n);
  expect(raised && feesOf(raised)).toEqual(expected);
  const { to, data, gas } = call;
  expect(raised && parseTransaction(raised.raw)).toMatchObject({ to, data, gas, nonce: 7, chainId: 8453 });
});

test('a raise costs at most what the payments can afford', async () => {
  const { sender } = openWith(1_000n, 1n);
  const transaction = await sender.send(withTip(100n, 8n), ['a']);
  const raised = await sender.reprice(transaction, ['a'], 150n * 100_000n + 99_999n);
  expect(raised && feesOf(raised)).toEqual([150n, 10n]);
});

test.each([
  ['equal', 46n],
  ['lower', 10n],
])('does not raise the fee if the current one is %s', async (_name, base) => {
  const { sender } = openWith(base, 8n);
  const transaction = await sender.send(withTip(100n, 8n), ['a']);
  expect(await sender.reprice(transaction, ['a'], 10n ** 12n)).toBeUndefined();
  expect(repriced).toEqual([]);
});

test('does not raise the fee of a transaction without data', async () => {
  const { sender } = openWith(100n, 1n);
  const transaction = await sender.send({ ...withTip(100n, 8n), data: '0x' }, ['a']);
  expect(await sender.reprice(transaction, ['a'], 10n ** 12n)).toBeUndefined();
});

test('reads fees once for payments of the same second, and anew for a raise', async () => {
  const { sender, requests } = openWith(100n, 1n);
  expect(await sender.readFees()).toMatchObject({ maxFeePerGas: 201n });
  await sender.readFees();
  expect(requests).toEqual(['block', 'tip']);
  const transaction = await sender.send(withTip(100n, 8n), ['a']);
  await sender.reprice(transaction, ['a'], 10n ** 12n);
  expect(requests).toHaveLength(4);
});
