import type { LowerAddress } from '../../lowerAddress.ts';
import { bandMidOf } from '../../venues/bandMid.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import { kinds } from '../../venues/kinds.ts';
import type { Deployment, Mid } from '../../venues/venueTypes.ts';
import { deepestOf } from '../market/deepestMid.ts';
import type { LensReading, PairReading, PoolReading } from './lensReading.ts';

/** Decimals of every token that a pair can contain: the two of the query and the pricing assets. */
export type DecimalsOf = (token: LowerAddress) => number | undefined;

/** The mid of a pair's deepest pool, without mids below the pair's fills (`deepestOf`); undefined if no pool has one. */
export function deepestMid(
  reading: LensReading,
  pairIndex: number,
  candidatePools: readonly CandidatePool[],
  deployment: Deployment,
  decimalsOf: DecimalsOf,
): Mid | undefined {
  const pair = reading.pairs[pairIndex];
  if (!pair) return undefined;
  const own = [...reading.pools.values()].filter((pool) => pool.pair === pairIndex);
  const mids = own.flatMap((pool) => poolMid(pool, pair, candidatePools, deployment, decimalsOf) ?? []);
  return deepestOf(mids, Math.max(0, ...own.map(paidBy)));
}

/** Price of a pool that took the whole amount; 0 for other pools. */
const paidBy = ({ status, arrived, nominal }: PoolReading) =>
  status === 'filled' && arrived > 0n ? Number(nominal) / Number(arrived) : 0;

function poolMid(
  pool: PoolReading,
  pair: PairReading,
  candidatePools: readonly CandidatePool[],
  deployment: Deployment,
  decimalsOf: DecimalsOf,
): Mid | undefined {
  const candidatePool = candidatePools[pool.candidatePool];
  const decimalsIn = decimalsOf(pair.tokenIn);
  const decimalsOut = decimalsOf(pair.tokenOut);
  if (!candidatePool || pool.bandStatus !== 'filled' || decimalsIn === undefined || decimalsOut === undefined)
    return undefined;
  const zeroForOne =
    currencyOf(candidatePool, pair.tokenIn, deployment) < currencyOf(candidatePool, pair.tokenOut, deployment);
  return bandMidOf(candidatePool, pool, { zeroForOne, decimalsIn, decimalsOut });
}

/** The pool's currency of a token: in a native pool 0x0 for the wrapped token. */
function currencyOf(candidatePool: CandidatePool, token: LowerAddress, { wrappedNative }: Deployment): bigint {
  const native = candidatePool.kind === kinds.v4Native && token === wrappedNative;
  return native ? 0n : BigInt(token);
}
