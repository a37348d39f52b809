import { expect, test } from 'vitest';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { toCandidatePools } from '../../venues/families.ts';
import type { PoolFills, QuoterFill } from './quoterPools.ts';
import { toExecutedPlan } from './toExecutedPlan.ts';

const candidatePools = toCandidatePools(deployments.base.venues);
const order = { tokenIn: '0x01', tokenOut: '0x02', amountIn: 10n } as const;
const filled = (...received: bigint[]): QuoterFill[] => received.map((each) => ({ status: 'filled', received: each }));

/** A pool, by default a pair that holds 1,000 of tokenIn and 2,000 of tokenOut. */
function poolOf(
  pool: '0x01' | '0x02' | '0x03',
  fills: QuoterFill[],
  market: Partial<PoolFills['band']> & { family?: string } = {},
) {
  const { family = 'uniswap-v2', ...band } = market;
  const candidatePool = candidatePools.find((each) => each.family === family) as CandidatePool;
  return { pool: { candidatePool, pool }, fills, band: { price: 1_000n, reserveOut: 2_000n, bandOut: 0n, ...band } };
}

test('chooses the pool that pays most, and compares it with the second', () => {
  const { best, single, runnerUp } = toExecutedPlan(
    [poolOf('0x01', filled(8n)), poolOf('0x02', filled(19n, 36n)), poolOf('0x03', filled(18n))],
    order,
  );
  expect(best).toMatchObject({
    plan: { ...order, legs: [{ pool: { id: '0x02' }, shareBps: 10_000 }] },
    legs: [{ pool: { id: '0x02' }, amountIn: 10n, arrived: 10n, nominal: 19n, amountOut: 19n, shareBps: 10_000 }],
    ...{ amountOut: 19n, secondAmountOut: 17n, gas: 0n, isUnpaid: true },
  });
  expect(single).toBe(best);
  expect(runnerUp?.amountOut).toBe(18n);
});

test('has no second output if twice the order does not fill', () => {
  const partial: QuoterFill = { status: 'partial', received: 0n };
  expect(toExecutedPlan([poolOf('0x01', [...filled(19n), partial])], order).best?.secondAmountOut).toBeUndefined();
  expect(toExecutedPlan([poolOf('0x01', filled(19n, 19n))], order).best?.secondAmountOut).toBeUndefined();
  expect(toExecutedPlan([poolOf('0x01', [partial])], order).best).toBeUndefined();
});

test('a pool that reverts has failed, and one that was not read has not', () => {
  const reverted: QuoterFill = { status: 'rejected', received: 0n };
  const unread: QuoterFill = { status: 'unread', received: 0n };
  expect(toExecutedPlan([poolOf('0x01', [reverted]), poolOf('0x02', [unread])], order).failed).toMatchObject([
    { ref: { id: '0x01', token0: '0x01', token1: '0x02' }, tokenIn: '0x01', status: 'reverted' },
  ]);
});

test('the depth is the largest size that pays within 1 % of the price of the order', () => {
  const depthOf = (...received: bigint[]) => toExecutedPlan([poolOf('0x01', filled(...received))], order).depth;
  expect(depthOf(1_000n, 1_980n, 3_959n, 7_919n)).toBe(20n);
  expect(depthOf(1_000n, 1_979n)).toBe(10n);
  expect(toExecutedPlan([], order).depth).toBe(0n);
});

test('the depth is a lower bound if a larger size was not read, and not if it does not fill', () => {
  const unread: QuoterFill = { status: 'unread', received: 0n };
  const partial: QuoterFill = { status: 'partial', received: 0n };
  const isBound = (...fills: QuoterFill[]) => toExecutedPlan([poolOf('0x01', fills)], order).isDepthLowerBound;
  const first = filled(1_000n);
  expect(isBound(...first, unread, unread, unread)).toBe(true);
  expect(isBound(...first)).toBe(true);
  expect(isBound(...first, partial, partial, partial)).toBe(false);
  expect(isBound(...filled(1_000n, 2_000n, 4_000n, 8_000n))).toBe(false);
  expect(toExecutedPlan([], order).isDepthLowerBound).toBe(false);
});

test('the depth compares the best pool of each size, in any order of the pools', () => {
  const pools = [poolOf('0x01', filled(1_000n, 1_100n)), poolOf('0x02', filled(900n, 1_990n))];
  expect(toExecutedPlan(pools, order).depth).toBe(20n);
  expect(toExecutedPlan([...pools].reverse(), order).depth).toBe(20n);
});

test('the mid is that of the deepest pool, in any order of the pools', () => {
  const [deep, shallow] = [poolOf('0x01', []), poolOf('0x02', [], { price: 10n, reserveOut: 30n })];
  expect(toExecutedPlan([deep, shallow], order).mid).toBe(2);
  expect(toExecutedPlan([shallow, deep], order).mid).toBe(2);
});

test('the mid ignores a deep pool whose price is below the one that a sale gets', () => {
  const [deep, shallow] = [poolOf('0x01', []), poolOf('0x02', filled(25n), { price: 10n, reserveOut: 30n })];
  expect(toExecutedPlan([deep, shallow], order).mid).toBe(3);
});

test('there is no mid without liquidity or without a price that was read', () => {
  expect(toExecutedPlan([poolOf('0x01', [], { price: 0n })], order).mid).toBeUndefined();
  expect(toExecutedPlan([{ ...poolOf('0x01', []), band: undefined }], order).mid).toBeUndefined();
});

test('the mid of a concentrated pool is token1 per token0', () => {
  const pools = [poolOf('0x03', [], { family: 'uniswap-v3', price: 2n ** 97n, bandOut: 7n })];
  expect(toExecutedPlan(pools, order).mid).toBe(4);
  expect(toExecutedPlan(pools, { ...order, tokenIn: '0x02', tokenOut: '0x01' }).mid).toBe(0.25);
});
