import { concatHex, type Hex } from 'viem';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import type { WeightedPool } from './weightedPools.ts';

interface HeldToken {
  token: LowerAddress;
  balance: bigint;
  weight: bigint;
}

/** Two tokens of a weighted pool, in ascending order: a pool of its own in the search. */
export interface WeightedPair {
  id: Hex;
  candidatePool: CandidatePool;
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

/** The token's pairs that take the largest orders, in descending order. */
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

/** Each quote of the chain reads these pairs. */
const maxPerToken = 2;

/**
 * Of each token the `maxPerToken` deepest pairs with another one, so that the number of pools does not change the number
 * of pairs. Displacing a pair takes pools that lock more of both of its tokens.
 */
export function deepestBetween(tokens: ReadonlySet<LowerAddress>, pairs: readonly WeightedPair[]): WeightedPair[] {
  const between = pairs.filter(({ held }) => held.every(({ token }) => tokens.has(token)));
  return [...new Set([...tokens].flatMap((token) => deepestOf(token, between, maxPerToken)))];
}

/** Fees are compared by what they leave of this price difference, a fraction. */
const priceLoss = 0.02;
/** For a fee above it. */
const leastLeft = 0.0001;

/**
 * Proportional to what the pair pays of a token until its price, with the fee, has fallen by `priceLoss`. The balance alone
 * is no measure: it can weigh 99 %, beside dust of the other token.
 */
function depthOf({ held, swapFee }: WeightedPair, at: number): number {
  const [own, other] = [held[at], held[1 - at]] as [HeldToken, HeldToken];
  const part = Number(other.weight) / Number(own.weight + other.weight);
  return Number(own.balance) * part * Math.max(leastLeft, priceLoss - Number(swapFee) / 1e18);
}

/** Tokens of the pairs, each once. */
export const tokensOf = (pairs: readonly WeightedPair[]): LowerAddress[] => [
  ...new Set(pairs.flatMap(({ held }) => held.map(({ token }) => token))),
];

/** @param decimals by token; pairs with a token that has none here, or more than 18, are left out */
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
