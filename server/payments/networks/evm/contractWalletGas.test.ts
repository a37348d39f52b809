import { numberToHex, pad } from 'viem';
import { expect, test } from 'vitest';
import { createScriptedChain, type ScriptedResult, twoSeconds } from '../../../../tests/support/scriptedChain.ts';
import { JsonRpcError } from '../../chainCall.ts';
import type { SettleOutcome } from '../../facilitator.ts';
import { createContractWalletGas, type Spending } from './contractWalletGas.ts';
import type { CostReading } from './settlementCost.ts';

const account = pad('0x1', { size: 20 });
const payment = {
  ...{ from: account, to: account, value: 20_000n, validAfter: 0n, validBefore: 2n ** 63n },
  ...{ nonce: pad('0x5'), signature: '0xabcd' as const },
};
const fees = { maxFeePerGas: 7n, maxPriorityFeePerGas: 3n, height: 50n, timestamp: 1n };
/** One wei costs two millionths of a US dollar. */
const cost: CostReading = {
  kind: 'read',
  l1Fee: 0n,
  toMicroUsd: (wei) => 2n * wei,
  toWei: (microUsd) => microUsd / 2n,
};
const emptySpending = (): Spending => ({ held: 0n, lost: new Map() });

/** A node that supports block overrides, and a budget that has `left`; `waitMs` if that is too little. */
function open({
  transfer = '0x',
  seen,
  waitMs,
}: {
  transfer?: ScriptedResult;
  seen?: ScriptedResult;
  waitMs?: number;
} = {}) {
  const { chain, requests } = createScriptedChain({
    eth_call(params: readonly unknown[]) {
      const [{ data }, , , block] = params as [{ data: string }, string, object, { number: string; time: string }];
      const isRead = data === '0x435f524260205260405ff3';
      const word = (value: string) => pad(numberToHex(BigInt(value))).slice(2);
      const result = isRead ? (seen ?? `0x${word(block.number)}${word(block.time)}`) : transfer;
      if (result instanceof Error) throw result;
      return result;
    },
  });
  const taken: number[] = [];
  const refunded: number[] = [];
  const lines: object[] = [];
  const log = (facts: object) => void lines.push(facts);
  const wallets = createContractWalletGas({
    network: 'eip155:8453',
    node: { chain, chainId: 8453, account, asset: account, interval: twoSeconds },
    contractWalletGas: {
      async take(amount) {
        taken.push(amount);
        return waitMs;
      },
      refund: async (amount) => void refunded.push(amount),
    },
    logger: { info: log, warn: log, error: log },
  });
  return { ...wallets, taken, refunded, lines, requests };
}
const simulated = { gas: 150_000n, l1Gas: 0n, isContract: true, head: 50n };
const reserve = (opened: ReturnType<typeof open>, spending = emptySpending(), change: Partial<typeof simulated> = {}) =>
  opened.reserve(payment, { ...simulated, ...change }, { gas: 150_000n, fees, cost, microUsd: 900n }, spending);

test('takes the maximum gas cost from the budget, and records it with its prices', async () => {
  const opened = open();
  const spending = emptySpending();
  expect(await reserve(opened, spending)).toBeUndefined();
  expect(await reserve(opened, spending)).toBeUndefined();
  expect(opened.taken).toEqual([900, 900]);
  expect(spending).toEqual({ held: 1_800n, cost, lost: new Map() });
  expect(opened.lines).toEqual([]);
});

test('refuses a transfer that needs too much gas, before any simulation', async () => {
  const opened = open();
  expect(await reserve(opened, emptySpending(), { gas: 200_001n })).toMatchObject({
    kind: 'refused',
    reason: 'invalid_exact_evm_transaction_simulation_failed',
    detail: expect.stringContaining('200001 gas'),
  });
  expect([opened.requests, opened.taken]).toEqual([[], []]);
});

test('refuses a wallet that rejects the payment in a later block, and takes nothing', async () => {
  const opened = open({ transfer: new JsonRpcError(3, 'execution reverted', '0x') });
  const spending = emptySpending();
  expect(await reserve(opened, spending)).toMatchObject({
    kind: 'refused',
    reason: 'invalid_exact_evm_transaction_simulation_failed',
    detail: expect.stringContaining('rejects it in a later block'),
  });
  expect([opened.taken, spending]).toEqual([[], emptySpending()]);
});

test('takes from the budget on a node without block overrides, and warns once', async () => {
  const opened = open({ seen: '0x' });
  expect(await reserve(opened)).toBeUndefined();
  expect(await reserve(opened)).toBeUndefined();
  expect(opened.taken).toEqual([900, 900]);
  expect(opened.lines).toEqual([{ network: 'eip155:8453' }]);
});

test.each([
  [0, 0],
  [1_000, 1],
  [1_001, 2],
])('limits a payment while the budget is used up for %d ms', async (waitMs, retryAfterSeconds) => {
  const spending = emptySpending();
  expect(await reserve(open({ waitMs }), spending)).toMatchObject({ kind: 'limited', retryAfterSeconds });
  expect(spending).toEqual(emptySpending());
});

/** What returns to the budget after an outcome, for a call that costs 20,000. */
async function refundOf(outcome: SettleOutcome['kind'], spending: Partial<Spending>): Promise<number[]> {
  const opened = open();
  await opened.release({ ...emptySpending(), cost, ...spending }, { kind: outcome } as SettleOutcome, 20_000n);
  return opened.refunded;
}

test('a settled payment returns its reserve and adds its price', async () => {
  expect(await refundOf('settled', { held: 900n })).toEqual([20_900]);
  expect(await refundOf('settled', { held: 900n, lost: new Map([['0x1', 100n]]) })).toEqual([20_900]);
});

test('a payment whose outcome is unknown keeps its reserve', async () => {
  expect(await refundOf('unknown', { held: 900n })).toEqual([]);
});

test('an EOA, which reserves nothing, returns nothing', async () => {
  expect(await refundOf('settled', {})).toEqual([]);
  expect(await refundOf('refused', {})).toEqual([]);
});

test.each([
  ['nothing was sent', [], [900]],
  ['a transaction failed', [['0x1', 100n]], [700]],
  [
    'two transactions failed',
    [
      ['0x1', 100n],
      ['0x2', 50n],
    ],
    [600],
  ],
  ['the fees reach the reserve', [['0x1', 450n]], []],
  ['the fees exceed the reserve', [['0x1', 4_500n]], []],
  ['the fee is not known', [['0x1', undefined]], []],
] as const)('a refused payment returns what its failed transactions did not cost: %s', async (_name, lost, refunds) => {
  expect(await refundOf('refused', { held: 900n, lost: new Map(lost) })).toEqual(refunds);
  expect(await refundOf('unavailable', { held: 900n, lost: new Map(lost) })).toEqual(refunds);
});

test('a fee whose price is not known counts as the whole reserve', async () => {
  const opened = open();
  const spending = { held: 900n, lost: new Map([['0x1', 1n]]) };
  await opened.release(spending, { kind: 'unavailable' }, 20_000n);
  expect(opened.refunded).toEqual([]);
});
