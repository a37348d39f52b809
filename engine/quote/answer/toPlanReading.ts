import { addressesOf } from '../../pools/contractOf.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import type { PoolStatus } from '../../venues/poolStatus.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import type { ExecutedPlan, FailedPool } from '../plan/choosePlan.ts';
import type { OrderSize } from '../query/sizeOrder.ts';
import { feedReadingOf } from '../query/usdFeeds.ts';
import type { FilledLeg } from '../search/planTypes.ts';
import type { LensReading, PairReading, PoolReading } from './lensReading.ts';
import { noCode } from './rejectedFlags.ts';

interface Parts {
  states: StateReading;
  size: OrderSize;
  candidatePools: readonly CandidatePool[];
  deployment: Deployment;
  found: ExecutedPlan | undefined;
  isPaid: boolean;
}

/** Converts pool states and an executed plan to a lens reading. Pure. */
export function toPlanReading({ states, size, candidatePools, deployment, found, isPaid }: Parts): LensReading {
  const [tokenIn, tokenOut] = states.tokens;
  const first = tokenIn ?? { hasCode: false, decimals: undefined, supply: 0n, address: '0x' as const };
  const pairs: PairReading[] = [];
  const pools = new Map<number, PoolReading>();
  const add = (ref: PoolRef, leg: Pick<FilledLeg, 'tokenIn' | 'tokenOut'>, rest: Partial<PoolReading>) => {
    const index = pools.size;
    pairs.push({ tokenIn: leg.tokenIn, tokenOut: leg.tokenOut, amountIn: rest.used ?? 0n, statuses: [] });
    const location = {
      index,
      pair: pairs.length - 1,
      candidatePool: candidatePools.indexOf(ref.candidatePool),
      pool: addressesOf(ref).publicId(ref),
    };
    pools.set(index, { ...noPool, feePips: feeOf(ref, leg, states), ...location, ...rest });
    return index;
  };
  const listedCount = states.pairs[0]?.statuses.length ?? candidatePools.length;
  /** The statuses contain the listed pools only, not those found in logs. */
  const isUnlisted = ({ candidatePool }: PoolRef) => candidatePools.indexOf(candidatePool) >= listedCount;
  const own = new Set([first.address, tokenOut?.address, ...deployment.routingAssets.map(({ address }) => address)]);
  const best = found?.best;
  /** False for pools with an unlisted token if there is a route. An attacker's token can make them unreadable. */
  const mayMatter = ({ token0, token1 }: Pick<PoolRef, 'token0' | 'token1'>) =>
    !best || (own.has(token0) && own.has(token1));
  const legs = (best?.filled.legs ?? []).map((leg, at) => {
    const { arrived, nominal } = best?.moved[at] ?? { arrived: leg.amountIn, nominal: leg.amountOut };
    const { amountIn: used, amountOut: received } = leg;
    return add(leg.pool, leg, { status: 'filled', used, received, arrived, nominal });
  });
  const isBeyondSupply = first.supply > 0n && size.amountIn > first.supply;
  const tried = (size.amountIn > 0n || size.surveyed) && !isBeyondSupply;
  for (const pool of found?.failed ?? []) {
    const status = statusOf(pool);
    if (status === 'rejected') add(pool.ref, pool, { status, reason: pool.reason });
    else if (status === 'unread' && isUnlisted(pool.ref) && mayMatter(pool.ref)) add(pool.ref, pool, { status });
  }
  const routes = best
    ? [
        {
          pools: legs,
          received: best.filled.amountOut,
          gas: Number(best.filled.gas),
          ...(best.isWarm && { isLeastGas: true as const }),
        },
      ]
    : [];
  for (const { ref, status } of tried ? states.unread : []) {
    const pair = { tokenIn: ref.token0, tokenOut: ref.token1 };
    // The state lens rejects only pools without code.
    if (status === 'rejected') add(ref, pair, { status, reason: noCode });
    else if (status === 'unread' && isUnlisted(ref) && mayMatter(ref)) add(ref, pair, { status });
  }
  const second = best?.secondAmountOut;
  return {
    tokenIn: { hasCode: first.hasCode, decimals: first.decimals },
    tokenOut: { hasCode: tokenOut?.hasCode ?? false, decimals: tokenOut?.decimals },
    isSizeTruncated: size.cut,
    doesSizeOverflow: size.overflow,
    isDepthLowerBound: found?.isDepthLowerBound ?? false,
    blockNumber: states.block.number,
    timestamp: states.block.timestamp,
    parentHash: states.block.parentHash,
    amountIn: size.amountIn,
    feed: feedReadingOf(first.address, states, deployment),
    sequencer: states.sequencer,
    payerFunded: isPaid,
    twice:
      best && second !== undefined
        ? { status: 'filled', received: best.filled.amountOut + second }
        : { status: 'partial', received: 0n },
    depth: found?.depth ?? 0n,
    supply: first.supply,
    pairs: tried ? [...pairs, ...listedPairs(states, found?.failed ?? [], candidatePools, mayMatter)] : [],
    pools,
    routes,
    gasUsed: states.gasUsed,
  };
}

const noPool: Omit<PoolReading, 'index' | 'pair' | 'candidatePool' | 'pool'> = {
  status: 'unread',
  bandStatus: 'not-requested',
  used: 0n,
  nominal: 0n,
  received: 0n,
  arrived: 0n,
  feePips: 0,
  reason: '0x00000000',
  price: 0n,
  reserveOut: 0n,
  bandIn: 0n,
  bandOut: 0n,
};

/**
 * The statuses of the listed pools of each pair, replaced for pools that failed in an execution. `unread` becomes `empty`
 * if `mayMatter` is false, so that it does not lower the confidence.
 */
function listedPairs(
  states: StateReading,
  failed: readonly FailedPool[],
  candidatePools: readonly CandidatePool[],
  mayMatter: (pair: Pick<PoolRef, 'token0' | 'token1'>) => boolean,
): PairReading[] {
  return states.pairs.map(({ a, b, statuses }) => {
    const changed = [...statuses];
    for (const pool of failed) {
      const candidatePool = candidatePools.indexOf(pool.ref.candidatePool);
      if (isPairOf(pool, a, b) && candidatePool >= 0 && candidatePool < changed.length)
        changed[candidatePool] = statusOf(pool);
    }
    const read = mayMatter({ token0: a, token1: b })
      ? changed
      : changed.map((status) => (status === 'unread' ? 'empty' : status));
    return { tokenIn: a, tokenOut: b, amountIn: 0n, statuses: read };
  });
}

function statusOf({ status }: FailedPool): PoolStatus {
  if (status === 'partial') return 'partial';
  return status === 'out-of-gas' ? 'unread' : 'rejected';
}

const isPairOf = ({ tokenIn, tokenOut }: FailedPool, a: string, b: string) =>
  (a === tokenIn && b === tokenOut) || (a === tokenOut && b === tokenIn);

/** The fee of a pool in the leg's direction, in millionths. */
export function feeOf(
  { id, candidatePool, token0 }: PoolRef,
  { tokenIn }: Pick<FilledLeg, 'tokenIn'>,
  { pools }: StateReading,
): number {
  const state = pools.find(({ ref }) => ref.id === id)?.state;
  if (state === undefined || state.kind === 'opaque') return state?.feePips ?? candidatePool.fee;
  return state.feePips[tokenIn === token0 ? 0 : 1];
}
