import { bandMidOf } from '../../venues/families.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import { deepestOf } from '../market/deepestMid.ts';
import type { ExecutedPlan } from '../plan/choosePlan.ts';
import type { Fill } from '../plan/executionTypes.ts';
import type { Order } from '../search/planTypes.ts';
import { isZeroForOne, multiples, type PoolFills, type QuoterPool } from './quoterPools.ts';

/**
 * The quoters' answers as executions of plans with one leg. Quoters report neither gas nor taxes, and no account pays.
 * Pure.
 */
export function toExecutedPlan(pools: readonly PoolFills[], order: Order): ExecutedPlan {
  const fills = pools.flatMap((each) => toFill(each, order) ?? []).sort((a, b) => (b.amountOut > a.amountOut ? 1 : -1));
  const [best, runnerUp] = fills;
  return {
    best,
    single: best,
    runnerUp,
    depth: depthOf(pools, order.amountIn),
    isDepthLowerBound: pools.some(hasUnreadFill),
    mid: midOf(pools, order),
    failed: pools
      .filter(({ fills: [fill] }) => fill?.status === 'rejected')
      .map(({ pool }) => ({ ref: toRef(pool, order), ...order, status: 'reverted', reason: '0x00000000' })),
  };
}

function toFill({ pool, fills: [fill, twice] }: PoolFills, order: Order): Fill | undefined {
  if (fill?.status !== 'filled') return undefined;
  const { tokenIn, tokenOut, amountIn } = order;
  const leg = { pool: toRef(pool, order), tokenIn, tokenOut, shareBps: 10_000 };
  const isFilledTwice = twice?.status === 'filled' && twice.received > fill.received;
  return {
    plan: { ...order, legs: [leg] },
    legs: [{ ...leg, amountIn, arrived: amountIn, nominal: fill.received, amountOut: fill.received }],
    amountOut: fill.received,
    gas: 0n,
    secondAmountOut: isFilledTwice ? twice.received - fill.received : undefined,
    isUnpaid: true,
  };
}

function toRef({ candidatePool, pool }: QuoterPool, { tokenIn, tokenOut }: Order): PoolRef {
  const [token0, token1] = isZeroForOne([tokenIn, tokenOut]) ? [tokenIn, tokenOut] : [tokenOut, tokenIn];
  return { candidatePool, id: pool, token0, token1 };
}

/** The mid of the deepest pool, without mids below the fills (`deepestOf`). */
function midOf(pools: readonly PoolFills[], { tokenIn, tokenOut, amountIn }: Order): number | undefined {
  // Only stable pairs have a price that depends on decimals.
  const direction = { zeroForOne: isZeroForOne([tokenIn, tokenOut]), decimalsIn: 0, decimalsOut: 0 };
  const mids = pools.flatMap(({ pool, band }) => (band && bandMidOf(pool.candidatePool, band, direction)) ?? []);
  const paid = pools.map((each) => Number(receivedOf(each, 0)) / Number(amountIn));
  return deepestOf(mids, Math.max(0, ...paid))?.mid;
}

/** Sizes that were not read count as unfilled in `depthOf`, so more may be sold. */
const hasUnreadFill = ({ fills }: PoolFills) =>
  multiples.some((_, step) => (fills[step]?.status ?? 'unread') === 'unread');

const receivedOf = ({ fills }: PoolFills, step: number) => fills[step]?.received ?? 0n;

/** The largest measured size at which a pool still pays within 1 % of the best price: a lower bound. */
function depthOf(pools: readonly PoolFills[], amountIn: bigint): bigint {
  const bestAt = multiples.map((_, step) => {
    const received = pools.map((each) => receivedOf(each, step));
    return received.sort((a, b) => (a < b ? 1 : -1))[0] ?? 0n;
  });
  const [best = 0n] = bestAt;
  if (best === 0n) return 0n;
  const within = multiples.filter((multiple, step) => (bestAt[step] ?? 0n) * 100n >= best * multiple * 99n);
  return amountIn * (within.at(-1) ?? 1n);
}
