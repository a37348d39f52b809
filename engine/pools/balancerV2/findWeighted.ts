import { concatHex, type Hex } from 'viem';
import { trySend } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import type { RoutingAsset } from '../../venues/venueTypes.ts';
import type { WeightedList } from './weightedList.ts';
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
  const pools = listed && (await readListed(listed, node));
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
  const pools = await readListed([...listed], node);
  return pools && toWeightedRefs(deepestBetween(tokens, pairsOf(pools)), decimals);
}

async function readListed(listed: readonly ListedPool[], node: Node): Promise<readonly WeightedPool[] | undefined> {
  if (listed.length === 0) return [];
  const calls = toWeightedCalls(listed);
  const read = await trySend(node, [...calls, ...toFeeCalls(listed)]);
  return read && fromWeightedReplies(listed, read.slice(0, calls.length), read.slice(calls.length));
}

interface HeldToken {
  token: LowerAddress;
  /** Base units. */
  balance: bigint;
  /** Fraction, scaled by 10^18. */
  weight: bigint;
}

/** Two tokens of a weighted pool, in ascending order. The search treats each pair as a separate pool. */
export interface WeightedPair {
  id: Hex;
  candidatePool: CandidatePool;
  /** Fraction, scaled by 10^18. */
  swapFee: bigint;
  held: readonly [HeldToken, HeldToken];
}

/** All pairs of the pools' tokens. */
export const pairsOf = (pools: readonly WeightedPool[]): WeightedPair[] =>
  pools.flatMap(({ tokens, ...pool }) => {
    const sorted = [...tokens].sort((a, b) => (a.token < b.token ? -1 : 1));
    return sorted.flatMap((first, at) =>
      sorted.slice(at + 1).map((second): WeightedPair => ({ ...pool, held: [first, second] })),
    );
  });

/** The `count` deepest pairs of a token, the deepest first. Excludes pairs without depth. */
export function deepestOf(token: LowerAddress, pairs: readonly WeightedPair[], count: number): WeightedPair[] {
  const depths = pairs.flatMap((pair) => {
    const at = pair.held.findIndex((own) => own.token === token);
    return at < 0 ? [] : [{ pair, depth: depthOf(pair, at) }];
  });
  return depths
    .filter(({ depth }) => depth > 0)
    .sort((a, b) => b.depth - a.depth)
    .slice(0, count)
    .map(({ pair }) => pair);
}

/** Every quote of the chain reads these pairs. */
const maxPerToken = 2;

/**
 * The `maxPerToken` deepest pairs of each token with another of the tokens. The result does not grow with the number of
 * pools. To displace a pair, an attacker must lock more of both of its tokens.
 */
export function deepestBetween(tokens: ReadonlySet<LowerAddress>, pairs: readonly WeightedPair[]): WeightedPair[] {
  const between = pairs.filter(({ held }) => held.every(({ token }) => tokens.has(token)));
  return [...new Set([...tokens].flatMap((token) => deepestOf(token, between, maxPerToken)))];
}

/** Depth is the output until the price, including the fee, has fallen by this fraction. */
const maxPriceLoss = 0.02;
/** The fall that counts if the fee alone exceeds `maxPriceLoss`, so that such pairs are still ordered. */
const minFall = 0.0001;

/**
 * Proportional to the amount of a token that the pair pays until its price, including the fee, has fallen by
 * `maxPriceLoss`. The balance alone is no measure: the token can have 99 % of the weight.
 */
function depthOf({ held, swapFee }: WeightedPair, at: number): number {
  const [own, other] = [held[at], held[1 - at]] as [HeldToken, HeldToken];
  const part = Number(other.weight) / Number(own.weight + other.weight);
  return Number(own.balance) * part * Math.max(minFall, maxPriceLoss - Number(swapFee) / 1e18);
}

/** Tokens of the pairs, each once. */
export const tokensOf = (pairs: readonly WeightedPair[]): LowerAddress[] => [
  ...new Set(pairs.flatMap(({ held }) => held.map(({ token }) => token))),
];

/**
 * Converts pairs to pool references. Excludes pairs with a token of unknown decimals, or of more than 18.
 * @param decimals by token
 */
export const toWeightedRefs = (
  pairs: readonly WeightedPair[],
  decimals: ReadonlyMap<LowerAddress, number>,
): PoolRef[] =>
  pairs.flatMap(({ id, candidatePool, held: [first, second] }): PoolRef[] => {
    const [scale0, scale1] = [scaleOf(decimals.get(first.token)), scaleOf(decimals.get(second.token))];
    if (scale0 === undefined || scale1 === undefined) return [];
    const [token0, token1] = [first.token, second.token];
    const weighted = { poolId: id, weight0: first.weight, weight1: second.weight, scale0, scale1 };
    return [
      { candidatePool, id: concatHex([id.slice(0, 42) as LowerAddress, token0, token1]), token0, token1, weighted },
    ];
  });

const scaleOf = (decimals: number | undefined): bigint | undefined =>
  decimals === undefined || decimals > 18 ? undefined : 10n ** BigInt(18 - decimals);
