import { type Address, getAddress } from 'viem';
import type { Slot } from '../venues/venueTypes.ts';
import type { CandidateReading, LensReading, PoolReading } from './lensReading.ts';
import type { Leg, Route } from './quoteTypes.ts';
import { LensAnswerError } from './wordReader.ts';

export const noRoute: Route = { dex: 'none', path: [], pools: [], legs: [] };

/** The pools of a way, in order. @throws {LensAnswerError} when the lens names one that it did not tell. */
export function poolsOf(reading: LensReading, candidate: Pick<CandidateReading, 'pools'>): PoolReading[] {
  return candidate.pools.map((index) => {
    const pool = reading.pools.get(index);
    if (!pool) throw new LensAnswerError(`Pool ${index} is named and not told.`);
    return pool;
  });
}

export function toRoute(reading: LensReading, pools: readonly PoolReading[], slots: readonly Slot[]): Route {
  const legs = pools.map((pool) => toLeg(reading, pool, slots));
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

function toLeg(reading: LensReading, pool: PoolReading, slots: readonly Slot[]): Leg {
  const slot = slots[pool.slot];
  const pair = reading.pairs[pool.pair];
  if (!slot || !pair) throw new LensAnswerError(`Pool ${pool.index} lies in slot ${pool.slot}, pair ${pool.pair}.`);
  return {
    dex: slot.family,
    venue: slot.venue,
    pool: slot.family === 'uniswap-v4' ? pool.pool : getAddress(pool.pool),
    tokenIn: getAddress(pair.tokenIn),
    tokenOut: getAddress(pair.tokenOut as Address),
    feePips: pool.feePips,
  };
}
