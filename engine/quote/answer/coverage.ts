import type { PoolRef } from '../../venues/poolTypes.ts';
import type { ChainData } from '../chainData.ts';
import { isTried, type Market } from '../market/market.ts';
import type { FailedPool } from '../plan/choosePlan.ts';

/** The venues that were read, and those that could not be read in full. Each name occurs once. */
export interface Coverage {
  considered: string[];
  unread: string[];
}

/** A pool that ran out of gas in its execution counts as unread. */
export function coverageOf(
  market: Pick<Market, 'states' | 'size' | 'found'>,
  { candidatePools, deployment }: Pick<ChainData, 'candidatePools' | 'deployment'>,
): Coverage {
  const { states, found } = market;
  const considered = new Set<string>();
  const unread = new Set<string>();
  if (!isTried(market)) return { considered: [], unread: [] };
  const failed = found?.failed ?? [];
  const listed = new Set([...states.tokens, ...deployment.routingAssets].map(({ address }) => address));
  /** False for pools with an unlisted token if there is a route. An attacker's token can make them unreadable. */
  const mayMatter = ({ token0, token1 }: Pick<PoolRef, 'token0' | 'token1'>) =>
    !found?.best || (listed.has(token0) && listed.has(token1));
  for (const { a, b, statuses } of states.pairs) {
    const failedOf = new Map(failed.filter(isPairOf(a, b)).map(({ ref, status }) => [ref.candidatePool, status]));
    const isCounted = mayMatter({ token0: a, token1: b });
    // An index loop, because this runs for thousands of statuses in each quote.
    for (let index = 0; index < statuses.length; index++) {
      const status = statuses[index];
      const candidatePool = candidatePools[index];
      if (candidatePool === undefined) continue;
      const failure = failedOf.get(candidatePool);
      if (!failure && (status === 'not-requested' || status === 'no-factory')) continue;
      considered.add(candidatePool.venue);
      const isUnread = failure ? failure === 'out-of-gas' : status === 'unread';
      if (isUnread && isCounted) unread.add(candidatePool.venue);
    }
  }
  // The statuses of pairs do not contain pools found only in logs.
  const others = [
    ...failed.filter(({ status }) => status === 'out-of-gas'),
    ...states.unread.filter(({ status }) => status === 'unread'),
  ];
  for (const { ref } of others) {
    if (candidatePools.includes(ref.candidatePool) || !mayMatter(ref)) continue;
    considered.add(ref.candidatePool.venue);
    unread.add(ref.candidatePool.venue);
  }
  return { considered: [...considered], unread: [...unread] };
}

const isPairOf =
  (a: string, b: string) =>
  ({ tokenIn, tokenOut }: FailedPool): boolean =>
    (a === tokenIn && b === tokenOut) || (a === tokenOut && b === tokenIn);
