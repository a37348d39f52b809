import { getAddress, type Hex, isAddress } from 'viem';
import { LensAnswerError } from '../../chain/wordReader.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { addressesOf } from '../../pools/contractOf.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import { families } from '../../venues/families.ts';
import { toChecksummedKey, type V4PoolKey } from '../../venues/uniswapV4/poolKey.ts';
import type { Leg, Route } from '../quoteTypes.ts';
import type { FilledLeg, FilledPlan } from '../search/planTypes.ts';
import type { LensReading, MeasuredRoute, PoolReading } from './lensReading.ts';

export const noRoute: Route = { dex: 'none', path: [], pools: [], legs: [] };

/** The pools of a route, in order. @throws {LensAnswerError} a pool has no entry */
export function poolsOf(reading: LensReading, route: Pick<MeasuredRoute, 'pools'>): PoolReading[] {
  return route.pools.map((index) => {
    const pool = reading.pools.get(index);
    if (!pool) throw new LensAnswerError(`A route contains pool ${index}, which has no entry.`);
    return pool;
  });
}

/**
 * The best route as a response returns it. It sells the whole `reading.amountIn`. Each leg sells what the one before
 * received.
 */
export function toRoute(
  reading: LensReading,
  winner: MeasuredRoute,
  candidatePools: readonly CandidatePool[],
  wrappedNative: LowerAddress,
): Route {
  const pools = poolsOf(reading, winner);
  const legs = pools.map((pool, index): Leg => {
    const amountIn = pools[index - 1]?.received ?? reading.amountIn;
    const amountOut = index === pools.length - 1 ? winner.received : pool.received;
    return { ...toSwap(reading, pool, candidatePools, wrappedNative), amountIn, amountOut, shareBps: 10_000 };
  });
  const [first] = legs;
  if (!first) return noRoute;
  const oneFamily = legs.every(({ dex }) => dex === first.dex);
  return {
    dex: oneFamily ? first.dex : 'mixed',
    path: [first.tokenIn, ...legs.map(({ tokenOut }) => tokenOut)],
    pools: legs.map(({ pool }) => pool),
    legs,
  };
}

/** The route of a plan: its swaps in an executable order. */
export function toPlanRoute(
  { plan, legs: filled }: FilledPlan,
  feeOf: (leg: FilledLeg) => number,
  wrappedNative: LowerAddress,
): Route {
  const legs = filled.map((leg): Leg => {
    const { candidatePool } = leg.pool;
    const poolKey = poolKeyOf(candidatePool, [leg.tokenIn, leg.tokenOut], wrappedNative);
    return {
      dex: candidatePool.family,
      venue: candidatePool.venue,
      pool: checksummed(addressesOf(leg.pool).publicId(leg.pool)),
      tokenIn: getAddress(leg.tokenIn),
      tokenOut: getAddress(leg.tokenOut),
      feePips: feeOf(leg),
      ...(poolKey && { poolKey }),
      amountIn: leg.amountIn,
      amountOut: leg.amountOut,
      shareBps: leg.shareBps,
    };
  });
  const [first] = legs;
  if (!first) return noRoute;
  const between = new Set(legs.map(({ tokenIn }) => tokenIn));
  return {
    dex: legs.every(({ dex }) => dex === first.dex) ? first.dex : 'mixed',
    path: [...between, getAddress(plan.tokenOut)],
    pools: legs.map(({ pool }) => pool),
    legs,
  };
}

/** A pool as responses contain it: addresses are checksummed, 32-byte ids are not. */
const checksummed = (pool: Hex): Hex => (isAddress(pool, { strict: false }) ? getAddress(pool) : pool);

/** The checksummed key of a singleton's pool; undefined if the pool has an address. */
export function poolKeyOf(
  candidatePool: CandidatePool,
  tokens: readonly [LowerAddress, LowerAddress],
  wrappedNative: LowerAddress,
): V4PoolKey | undefined {
  const key = families[candidatePool.family].poolKey(candidatePool, tokens, wrappedNative);
  return key && toChecksummedKey(key);
}

/** A leg without its amounts. */
function toSwap(
  reading: LensReading,
  pool: PoolReading,
  candidatePools: readonly CandidatePool[],
  wrappedNative: LowerAddress,
): Omit<Leg, 'amountIn' | 'amountOut' | 'shareBps'> {
  const candidatePool = candidatePools[pool.candidatePool];
  const pair = reading.pairs[pool.pair];
  if (!candidatePool || !pair)
    throw new LensAnswerError(
      `Pool ${pool.index} refers to candidate pool ${pool.candidatePool} and pair ${pool.pair}, which do not both exist.`,
    );
  const poolKey = poolKeyOf(candidatePool, [pair.tokenIn, pair.tokenOut], wrappedNative);
  return {
    dex: candidatePool.family,
    venue: candidatePool.venue,
    pool: checksummed(pool.pool),
    tokenIn: getAddress(pair.tokenIn),
    tokenOut: getAddress(pair.tokenOut),
    feePips: pool.feePips,
    ...(poolKey && { poolKey }),
  };
}
