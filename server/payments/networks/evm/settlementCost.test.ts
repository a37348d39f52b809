import {
  type Address,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionResult,
  type Hex,
  pad,
  toHex,
} from 'viem';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ChainCall, multicall3 } from '../../chainCall.ts';
import { multicallAbi } from './readEvmFunds.ts';
import { affordableGas, type CostReading, capCost, createCostReader } from './settlementCost.ts';

const feed: Address = '0x71041dddad3595f9ced3dccfbe3d1f4b0a16bb70';
const oracle: Address = '0x420000000000000000000000000000000000000f';
const pricing = { feed: { address: feed, heartbeatSeconds: 1_500 } };
const now = 1_700_000_000n;
const uint = (value: bigint) => pad(toHex(value));

interface Chain {
  answer: bigint;
  updatedAt: bigint;
  decimals: bigint | 'fails';
  l1Fee: bigint | 'fails';
  round: Hex | undefined;
  isReverted: boolean;
}

/** A chain on which the native coin costs 2,500 US dollars. `sizes`: bytes of which the L1 fee was read. */
function chainWith(change: Partial<Chain> = {}) {
  const chain = { answer: 2_500n * 10n ** 8n, updatedAt: now, decimals: 8n, l1Fee: 7n, round: undefined, ...change };
  const sizes: (bigint | undefined)[] = [];
  const round = chain.round ?? (`0x${[1n, chain.answer, 0n, chain.updatedAt, 1n].map((x) => int(x)).join('')}` as Hex);
  const word = (value: bigint | 'fails') =>
    value === 'fails' ? { success: false, returnData: '0x' as Hex } : { success: true, returnData: uint(value) };
  const call: ChainCall = async (_method, params, shape) => {
    const [{ to, data }] = params as [{ to: Address; data: Hex }];
    expect(to).toBe(multicall3);
    const { args } = decodeFunctionData({ abi: multicallAbi, data });
    const fees = (args?.[0] ?? []).slice(3);
    expect(fees.every(({ target }) => target.toLowerCase() === oracle)).toBe(true);
    sizes.push(fees[0] && BigInt(`0x${fees[0].callData.slice(10)}`));
    const result = [
      { success: !chain.isReverted, returnData: round },
      word(chain.decimals),
      word(now),
      ...(fees.length > 0 ? [word(chain.l1Fee)] : []),
    ];
    return shape.parse(encodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', result }));
  };
  return { call, sizes };
}
const int = (value: bigint) => encodeAbiParameters([{ type: 'int256' }], [value]).slice(2);

const read = async (change: Partial<Chain> = {}, l1FeeOracle?: Address) =>
  createCostReader(chainWith(change).call, l1FeeOracle ? { ...pricing, l1FeeOracle } : pricing).read(0);

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('a price of 2,500 US dollars', () => {
  test('converts wei up and US dollars down, so that a cost never looks lower', async () => {
    const cost = (await read()) as CostReading;
    expect(cost.l1Fee).toBe(0n);
    expect(cost.toMicroUsd(4n * 10n ** 8n)).toBe(1n);
    expect(cost.toMicroUsd(4n * 10n ** 8n + 1n)).toBe(2n);
    expect(cost.toMicroUsd(0n)).toBe(0n);
    expect(cost.toWei(1n)).toBe(4n * 10n ** 8n);
    expect(((await read({ answer: 3n * 10n ** 8n })) as CostReading).toWei(1n)).toBe(333_333_333_333n);
  });

  test.each([
    ['the longest time since its round', { updatedAt: now - 1_500n }],
    ['18 decimals', { decimals: 18n, answer: 2_500n * 10n ** 18n }],
  ])('is used with %s', async (_name, change) => {
    expect(((await read(change)) as CostReading).toMicroUsd(10n ** 18n)).toBe(2_500_000_000n);
  });
});

test.each([
  ['a stale round', { updatedAt: now - 1_501n }, 'a fresh price of the native coin'],
  ['a price of zero', { answer: 0n }, 'the price of the native coin'],
  ['a negative price', { answer: -1n }, 'the price of the native coin'],
  ['impossible decimals', { decimals: 19n }, 'the price of the native coin'],
  ['unread decimals', { decimals: 'fails' }, 'the price of the native coin'],
  ['a feed that reverts', { isReverted: true }, 'the price of the native coin'],
  ['a feed without code', { round: '0x' }, 'the price of the native coin'],
  ['an unread L1 fee', { l1Fee: 'fails' }, 'the fee for L1 data'],
] as const)('%s is unreadable, not free', async (_name, change, what) => {
  expect(await read(change, oracle)).toEqual({ kind: 'unreadable', what });
});

test('reads the fee for L1 data by the size of the transaction, in steps of 256 bytes', async () => {
  const { call, sizes } = chainWith();
  const costs = createCostReader(call, { ...pricing, l1FeeOracle: oracle });
  expect(await costs.read(0)).toMatchObject({ l1Fee: 7n });
  await costs.read(156);
  await costs.read(157);
  expect(sizes).toEqual([256n, 512n]);
});

test('a reading is used for four seconds, and a failed one is not', async () => {
  const { call, sizes } = chainWith();
  const costs = createCostReader(call, pricing);
  expect(costs.toUsd(10n ** 18n)).toBeUndefined();
  await costs.read(0);
  vi.advanceTimersByTime(3_999);
  await costs.read(0);
  expect(sizes).toHaveLength(1);
  vi.advanceTimersByTime(1);
  await costs.read(0);
  expect(sizes).toHaveLength(2);
  expect(costs.toUsd(10n ** 18n)).toBe(2_500);

  const stale = chainWith({ answer: 0n });
  const failing = createCostReader(stale.call, pricing);
  await failing.read(0);
  await failing.read(0);
  expect(stale.sizes).toHaveLength(2);
  const broken = createCostReader(() => Promise.reject(new TypeError('down')), pricing);
  await expect(broken.read(0)).rejects.toThrow('down');
  await expect(broken.read(0)).rejects.toThrow('down');
});

describe('the fees of a settlement', () => {
  const cost: CostReading = { kind: 'read', l1Fee: 1_000n, toMicroUsd: (wei) => wei, toWei: (microUsd) => microUsd };
  const gwei = 10n ** 9n;
  const fees = { maxFeePerGas: 5n * gwei, maxPriorityFeePerGas: 2n * gwei, height: 1n, timestamp: 2n };
  const gas = 100n;
  const cap = (price: bigint, chainId = 8453, change: Partial<typeof fees> = {}) =>
    capCost(chainId, { gas, fees: { ...fees, ...change }, price, cost });
  /** The lowest price that pays for gas at this fee, and for L1: it must exceed the cost. */
  const priceOf = (feePerGas: bigint) => gas * feePerGas + cost.l1Fee + 1n;

  test('leave the L1 fee and one wei of the price', () => {
    expect(affordableGas(5_000n, cost)).toBe(3_999n);
  });

  test('are those of the node if the price covers them', () => {
    const price = priceOf(5n * gwei);
    expect(cap(price)).toEqual({ kind: 'fits', fees, microUsd: price - 1n });
    expect(cap(10n * price)).toEqual({ kind: 'fits', fees, microUsd: price - 1n });
  });

  test('have a lower tip if the price covers less', () => {
    expect(cap(priceOf(4n * gwei))).toEqual({
      kind: 'fits',
      fees: { ...fees, maxFeePerGas: 4n * gwei, maxPriorityFeePerGas: gwei },
      microUsd: gas * 4n * gwei + cost.l1Fee,
    });
  });

  test.each([
    ['0.001 gwei', 8453, gwei / 1_000n, {}],
    ['25 gwei on Polygon', 137, 25n * gwei, { maxFeePerGas: 43n * gwei, maxPriorityFeePerGas: 40n * gwei }],
    ["the node's tip, if that is lower", 137, 2n * gwei, {}],
  ])('have a tip of at least %s; a price below it is too low', (_name, chainId, least, change) => {
    const price = priceOf(3n * gwei + least);
    expect(cap(price, chainId, change)).toMatchObject({ kind: 'fits', fees: { maxPriorityFeePerGas: least } });
    expect(cap(price - 1n, chainId, change)).toEqual({ kind: 'tooExpensive', microUsd: price - 1n });
  });
});

test('keeps the last price while the next one cannot be read', async () => {
  let isStale = false;
  const [fresh, stale] = [chainWith(), chainWith({ answer: 0n })];
  const costs = createCostReader((...request) => (isStale ? stale : fresh).call(...request), pricing);
  await costs.read(0);
  isStale = true;
  vi.advanceTimersByTime(4_000);
  expect(await costs.read(0)).toMatchObject({ kind: 'unreadable' });
  expect(costs.toUsd(10n ** 18n)).toBe(2_500);
});
