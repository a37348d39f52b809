import { createBatch } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import type { WeightedList } from './weightedList.ts';
import { fromWeightedReplies, toDecimalsCalls, toWeightedCalls, toWeightedRefs } from './weightedPools.ts';

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
  const listed = list.ofToken(token);
  if (!listed || listed.length === 0) return listed && [];
  const read = await send(node, toWeightedCalls(listed));
  if (!read) return undefined;
  const pools = fromWeightedReplies(token, listed, read);
  if (!pools || pools.length === 0) return pools && [];
  const decimals = await send(node, toDecimalsCalls(pools));
  return decimals && toWeightedRefs(token, pools, decimals);
}

async function send(node: Node, calls: readonly RpcCall[]): Promise<readonly (RpcReply | undefined)[] | undefined> {
  const batch = createBatch();
  const replies = batch.add(...calls);
  return (await batch.trySend(node)) === undefined ? replies() : undefined;
}
