import { numberToHex, pad, serializeTransaction } from 'viem';
import { expect, test } from 'vitest';
import type { EvmTransaction } from './evmTransaction.ts';
import { failedOutcome, pursuePayment } from './pursuePayment.ts';
import type { Member } from './settleGroup.ts';

type Pursuit = Parameters<typeof pursuePayment>[0];

const asset = pad('0x1', { size: 20 });
const payer = pad('0x2', { size: 20 });

/** A transfer; without `to`, a group. */
const transactionOf = (nonce: number, call: { to?: typeof asset } = { to: asset }): EvmTransaction => ({
  hash: pad(numberToHex(nonce + 1)),
  raw: serializeTransaction({ type: 'eip1559', chainId: 8453, nonce, ...call, data: '0x00' }),
  nonce,
  fromBlock: 1n,
});

/** Pursues a payment whose newest transaction failed on chain and whose next simulation succeeds. */
async function pursueFailed({ sent, earlier = [] }: { sent: EvmTransaction[]; earlier?: EvmTransaction[] }) {
  const payment = { from: payer, to: payer, value: 1n, nonce: pad('0x1') };
  const task = { payment, sent: earlier, wasRefused: earlier.length > 0, checkFunds: async () => undefined };
  const member = { task, spending: { held: 0n, lost: new Map() } } as unknown as Member;
  const receipt = {
    status: '0x0',
    transactionHash: pad('0x7'),
    blockNumber: '0x5',
    gasUsed: 50_000n,
    effectiveGasPrice: 2n,
    logs: [],
  };
  const outcome = await pursuePayment(
    {
      node: { asset },
      follower: { follow: async () => ({ kind: 'mined', receipt }) },
      verifier: { readStatus: async () => ({ kind: 'unused' }) },
      preparer: { simulate: async () => ({}), prepare: async () => ({ kind: 'ready' }) },
      sendTransfer: async () => transactionOf(9),
    } as unknown as Pursuit,
    member,
    sent,
  );
  return { outcome, lost: [...member.spending.lost.values()], nonces: sent.map(({ nonce }) => nonce) };
}

test('behavior: does not send a lone transfer again that failed in this attempt', async () => {
  expect(await pursueFailed({ sent: [transactionOf(1)] })).toEqual({
    outcome: failedOutcome,
    lost: [100_000n],
    nonces: [1],
  });
});

test('behavior: sends a payment once more, alone, that failed in a group', async () => {
  const { outcome, nonces } = await pursueFailed({ sent: [transactionOf(1, {})] });
  expect(outcome).toBeUndefined();
  expect(nonces).toEqual([1, 9]);
});

test('behavior: sends a payment again that failed in a refused attempt, and does not count that failure twice', async () => {
  const earlier = [transactionOf(1)];
  expect(await pursueFailed({ sent: [...earlier], earlier })).toEqual({ outcome: undefined, lost: [], nonces: [1, 9] });
});

test('behavior: uses at most five nonces for one payment', async () => {
  const earlier = [1, 2, 3, 4, 5].map((nonce) => transactionOf(nonce));
  const { outcome, nonces } = await pursueFailed({ sent: [...earlier], earlier });
  expect(outcome).toEqual(failedOutcome);
  expect(nonces).toEqual([1, 2, 3, 4, 5]);
});

test('behavior: a shortage after a broadcast counts only if the payment is still unused', async () => {
  const statuses = [{ kind: 'unused' }, { kind: 'settled', transaction: '0x09' }];
  const payment = { from: payer, to: payer, value: 1n, nonce: pad('0x1') };
  const shortage = { kind: 'refused', reason: 'insufficient_funds', detail: 'Too little.' };
  const task = { payment, sent: [], wasRefused: false, checkFunds: async () => shortage };
  const outcome = await pursuePayment(
    {
      node: { asset },
      follower: { follow: async () => ({ kind: 'replaced' }) },
      verifier: { readStatus: async () => statuses.shift() },
      preparer: { simulate: async () => ({}) },
    } as unknown as Pursuit,
    { task, spending: { held: 0n, lost: new Map() } } as unknown as Member,
    [transactionOf(1)],
  );
  expect(outcome).toEqual({ kind: 'settled', transaction: '0x09' });
});
