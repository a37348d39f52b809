import type { Hex } from 'viem';
import type { Node } from '../../engine/chain/node.ts';
import type { StateReading } from '../../engine/pools/decodeStates.ts';
import { readStates, type StateSource } from '../../engine/pools/readPools.ts';
import type { MarketQuery } from '../../engine/pools/stateQuery.ts';

/** Reads the pools of all pairs that a route may use, at one block, in one request. */
export async function readMarketStates(
  source: StateSource,
  query: MarketQuery,
  node: Node,
  block: Hex | 'latest',
): Promise<StateReading> {
  return (await readStates(source, query, node, block)).read.states;
}
