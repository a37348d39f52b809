import { numberToHex } from 'viem';
import { createBatch } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { WeightedSearch } from '../../pools/balancerV2/weightedSearch.ts';
import {
  type FoundPools,
  fromFindPoolReplies,
  type PoolSearch,
  recallFoundPools,
  withHints,
} from '../../pools/findPools.ts';
import type { HintedPools } from '../../pools/poolHints.ts';
import type { PoolIndex } from '../../pools/poolIndex.ts';
import { toPoolLogCalls } from '../../pools/poolLogs.ts';
import { fromRankReplies, maxUnlistedPools, toRankCalls } from '../../pools/rankPools.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import { fromVenueReplies, type OtherHoldings, readOtherPools, toVenueCalls, unreadHoldings } from './notCovered.ts';
import { fromFactoryReplies, toFactoryCalls } from './uncoveredVenues.ts';

/** Why pools that only the factories' logs contain may be missing. */
export type LogGap = 'unread' | 'pending' | 'truncated';

/** Pools of one token that enumeration does not find. */
export interface TokenPools {
  /** The deepest pools (`fromRankReplies`), at most `maxUnlistedPools`. */
  refs: readonly PoolRef[];
  /** The token's pairs in Balancer's weighted pools, the deepest first. Undefined if they were not read. */
  weighted: readonly PoolRef[] | undefined;
  /** There are v4 pools with hooks that are not used. */
  hooked: boolean;
  /** What these pools and uncovered venues hold. */
  others: OtherHoldings;
  /** Why pools may be missing; undefined if all were found. */
  gap?: LogGap | undefined;
  /** Third parties whose pools were tried as well. */
  hintSources?: readonly string[];
}

/** Maximum number of a token's counter-assets that are not routing assets: each adds three pairs. */
export const maxCounters = 2;

/** Finds the token's pools in the index and in the logs after it. */
export async function findTokenPools(
  search: PoolSearch & { deployment: Pick<Deployment, 'uncovered' | 'routingAssets'> },
  node: Node,
  { index, weightedSearch }: { index: PoolIndex | undefined; weightedSearch: WeightedSearch },
): Promise<{ found: FoundPools; pools: TokenPools }> {
  // Separate requests: an attacker can make the response with the other factories' logs too large.
  const weightedRead = weightedSearch.find(search.token, node).catch(() => undefined);
  const { known, tail } = await recallFoundPools(search, index);
  const batch = createBatch();
  // Not with the states: anyone can create so many pools that the response exceeds its limit.
  const replies = batch.add(...toPoolLogCalls([search.token], search.candidatePools, tail));
  const { deployment, token } = search;
  const venueReplies = batch.add(...toVenueCalls(deployment, token));
  const factoryReplies = batch.add(...toFactoryCalls(deployment, token));
  // With the header, because the chain id of the node may not be verified yet.
  const header = await batch.sendWithHeader(node, 'latest').catch(() => undefined);
  const found = fromFindPoolReplies(search, header ? replies() : [undefined], known);
  if (found.status === 'read failed') index?.wake();
  const factories = fromFactoryReplies(deployment, token, factoryReplies());
  const [refs, inPools, weighted] = await Promise.all([
    rank(search, found.refs, node),
    header && readOtherPools(found.hooked, factories.pools, token, header.number, node),
    weightedRead,
  ]);
  const inVenues = header && fromVenueReplies(deployment, token, venueReplies(), header.number);
  const others =
    inPools && inVenues
      ? {
          holdings: [...inVenues.holdings, ...inPools.holdings],
          unread: [...new Set([...inVenues.unread, ...factories.unread, ...inPools.unread])],
        }
      : unreadHoldings(deployment);
  const isUnread = found.status === 'read failed' || weighted === undefined || !weightedSearch.isComplete();
  const gap = isUnread ? 'unread' : found.truncated ? 'truncated' : undefined;
  return {
    found,
    pools: { refs, weighted, hooked: found.hooked.length > 0, others, gap },
  };
}

/** Adds pools of third parties that the chain confirmed. They compete with the others by their balances. */
export async function addHintedPools(
  search: PoolSearch,
  found: FoundPools,
  { creations, answered }: HintedPools,
  node: Node,
): Promise<Pick<TokenPools, 'refs' | 'hintSources'>> {
  const { refs } = withHints(search, found, creations);
  return { refs: await rank(search, refs, node), hintSources: answered };
}

/** Ranks the pools by their balances, with one request, if there are more pools or counter-assets than a quote reads. */
async function rank(
  { token, deployment }: PoolSearch,
  refs: readonly PoolRef[],
  node: Node,
): Promise<readonly PoolRef[]> {
  const routed = new Set(deployment.routingAssets.map(({ address }) => address));
  const counters = new Set(refs.map((ref) => counterOf(token, ref)).filter((counter) => !routed.has(counter)));
  if (refs.length <= maxUnlistedPools && counters.size <= maxCounters) return refs;
  const block = node.block ? numberToHex(node.block.number) : 'latest';
  const batch = createBatch();
  const replies = batch.add(...toRankCalls(refs, token, block));
  await batch.trySend(node);
  return fromRankReplies(refs, token, replies(), [deployment.wrappedNative, deployment.usdc]);
}

export const counterOf = (token: LowerAddress, { token0, token1 }: PoolRef) => (token0 === token ? token1 : token0);
