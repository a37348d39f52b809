import { trySend } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import type { RoutingAsset } from '../../venues/venueTypes.ts';
import type { WeightedList } from './weightedList.ts';
import { deepestBetween, deepestOf, pairsOf, tokensOf, toWeightedRefs } from './weightedPairs.ts';
import {
  fromDecimalsReplies,
  fromWeightedReplies,
  type ListedPool,
  maxOfToken,
  toDecimalsCalls,
  toFeeCalls,
  toWeightedCalls,
  type WeightedPool,
} from './weightedPools.ts';

/** Maximum number of pairs of one token. */
const maxKept = 24;

/**
 * Reads the deepest pairs of a token in weighted pools, the deepest first. Takes two requests if the list has such pools,
 * besides the requests of the list. Undefined if they could not be read.
 */
export async function findWeighted(
  token: LowerAddress,
  list: WeightedList,
  node: Node,
): Promise<readonly PoolRef[] | undefined> {
  await list.refresh(node);
  const listed = list.ofToken(token)?.slice(0, maxOfToken);
  const pools = listed && (await readPools(listed, node));
  if (!pools) return undefined;
  if (pools.length === 0) return [];
  const pairs = deepestOf(token, pairsOf(pools), maxKept);
  const tokens = tokensOf(pairs);
  const decimals = await trySend(node, toDecimalsCalls(tokens));
  return decimals && toWeightedRefs(pairs, fromDecimalsReplies(tokens, decimals));
}

/**
 * Reads the deepest pairs of each asset with another one (`deepestBetween`). Takes one request if the list has such pools,
 * besides the requests of the list. Undefined if they could not be read.
 */
export async function findWeightedBetween(
  assets: readonly Pick<RoutingAsset, 'address' | 'decimals'>[],
  list: WeightedList,
  node: Node,
): Promise<readonly PoolRef[] | undefined> {
  await list.refresh(node);
  const decimals = new Map(assets.map((asset) => [asset.address, asset.decimals]));
  const tokens = new Set(decimals.keys());
  const isBetween = (pool: ListedPool) => pool.tokens.filter((token) => tokens.has(token)).length > 1;
  // The limit applies to each token, so that many pools of one token do not hide those of another.
  const listed = new Set<ListedPool>();
  for (const token of tokens) {
    const own = list.ofToken(token);
    if (!own) return undefined;
    for (const pool of own.filter(isBetween).slice(0, maxOfToken)) listed.add(pool);
  }
  const pools = await readPools([...listed], node);
  return pools && toWeightedRefs(deepestBetween(tokens, pairsOf(pools)), decimals);
}

async function readPools(listed: readonly ListedPool[], node: Node): Promise<readonly WeightedPool[] | undefined> {
  if (listed.length === 0) return [];
  const calls = toWeightedCalls(listed);
  const read = await trySend(node, [...calls, ...toFeeCalls(listed)]);
  return read && fromWeightedReplies(listed, read.slice(0, calls.length), read.slice(calls.length));
}
