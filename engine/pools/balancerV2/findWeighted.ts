import { createBatch } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import type { WeightedList } from './weightedList.ts';
import {
  fromWeightedReplies,
  type ListedPool,
  largestOf,
  maxOfToken,
  toDecimalsCalls,
  toWeightedCalls,
  toWeightedRefs,
} from './weightedPools.ts';

/**
 * Pairs of a token in weighted pools, those whose pools hold most of it first. Two requests if there are such pools, else
 * none, besides those of the list. Undefined if they could not be read.
 */
export async function findWeighted(
  token: LowerAddress,
  list: WeightedList,
  node: Node,
): Promise<readonly PoolRef[] | undefined> {
  await list.refresh(node);
  const listed = list.ofToken(token)?.slice(0, maxOfToken);
  if (!listed || listed.length === 0) return listed && [];
  const read = await send(node, toWeightedCalls(listed));
  if (!read) return undefined;
  const all = fromWeightedReplies(listed, read);
  if (!all || all.length === 0) return all && [];
  const pools = largestOf(token, all);
  const decimals = await send(node, toDecimalsCalls(pools));
  return decimals && toWeightedRefs(token, pools, decimals);
}

/** Of each token, the number of pools with another of the tokens that are used: those that hold most of it. */
const maxBetween = 2;

/**
 * Pairs of two of these tokens. Two requests if there are such pools, else none, besides those of the list. Undefined if
 * they could not be read.
 */
export async function findWeightedBetween(
  tokens: readonly LowerAddress[],
  list: WeightedList,
  node: Node,
): Promise<readonly PoolRef[] | undefined> {
  await list.refresh(node);
  if (tokens.some((token) => list.ofToken(token) === undefined)) return undefined;
  const isBetween = (pool: ListedPool) => pool.tokens.filter((token) => tokens.includes(token)).length > 1;
  // The limit counts for each token, so that many pools of one token do not hide those of another.
  const listed = [
    ...new Set(tokens.flatMap((token) => (list.ofToken(token) ?? []).filter(isBetween).slice(0, maxOfToken))),
  ];
  if (listed.length === 0) return [];
  const read = await send(node, toWeightedCalls(listed));
  const found = read && fromWeightedReplies(listed, read);
  if (!found || found.length === 0) return found && [];
  const pools = [...new Set(tokens.flatMap((token) => largestOf(token, found, maxBetween)))];
  const decimals = await send(node, toDecimalsCalls(pools));
  if (!decimals) return undefined;
  const refs = tokens.flatMap((token) => toWeightedRefs(token, pools, decimals));
  const kept = refs.filter(({ token0, token1 }) => tokens.includes(token0) && tokens.includes(token1));
  return [...new Map(kept.map((ref) => [ref.id, ref])).values()];
}

async function send(node: Node, calls: readonly RpcCall[]): Promise<readonly (RpcReply | undefined)[] | undefined> {
  const batch = createBatch();
  const replies = batch.add(...calls);
  return (await batch.trySend(node)) === undefined ? replies() : undefined;
}
