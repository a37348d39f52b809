import { getAddress, type Hex, isAddress } from 'viem';
import type { LowerAddress } from '../../lowerAddress.ts';
import { addressesOf } from '../../pools/contractOf.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import { families } from '../../venues/families.ts';
import { toChecksummedKey, type V4PoolKey } from '../../venues/uniswapV4/poolKey.ts';
import type { Leg, Route } from '../quoteTypes.ts';
import type { FilledLeg, FilledPlan } from '../search/planTypes.ts';

export const noRoute: Route = { dex: 'none', path: [], pools: [], legs: [] };

/** The route of a plan: its swaps in an executable order. */
export function toRoute(
  { plan, legs: filled }: FilledPlan,
  states: Pick<StateReading, 'pools'>,
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
      feePips: feeOf(leg, states),
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
export const checksummed = (pool: Hex): Hex => (isAddress(pool, { strict: false }) ? getAddress(pool) : pool);

/** The checksummed key of a singleton's pool; undefined if the pool has an address. */
export function poolKeyOf(
  candidatePool: CandidatePool,
  tokens: readonly [LowerAddress, LowerAddress],
  wrappedNative: LowerAddress,
): V4PoolKey | undefined {
  const key = families[candidatePool.family].poolKey(candidatePool, tokens, wrappedNative);
  return key && toChecksummedKey(key);
}

/** The fee of a leg's pool in the leg's direction, in millionths. */
function feeOf({ pool, tokenIn }: FilledLeg, { pools }: Pick<StateReading, 'pools'>): number {
  const state = pools.find(({ ref }) => ref.id === pool.id)?.state;
  if (state === undefined || state.kind === 'opaque') return state?.feePips ?? pool.candidatePool.fee;
  return state.feePips[tokenIn === pool.token0 ? 0 : 1];
}

/** States the gain of the split and the best single route with its output. */
export function splitRouteFlag(gainBps: number, { amountOut, route }: { amountOut: bigint; route: Route }) {
  const legs = route.legs.map((leg) => ({
    ...leg,
    amountIn: leg.amountIn.toString(),
    amountOut: leg.amountOut.toString(),
  }));
  return {
    code: 'SPLIT_ROUTE',
    severity: 'info',
    message: `The split route returns ${(gainBps / 100).toFixed(2)} % more than the best single route.`,
    facts: { gainBps, single: { amountOut: amountOut.toString(), ...route, legs } },
  } as const;
}
