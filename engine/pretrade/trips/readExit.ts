import type { Address, Hex } from 'viem';
import type { Node } from '../../chain/node.ts';
import type { Batch } from '../batch.ts';
import type { ExitReading, KnownPool } from '../exit/exitTypes.ts';
import { settleDeadCounters, toCounterHoldings } from '../exit/settleDeadCounters.ts';
import { keyOfPool, splitListed } from '../exit/splitListed.ts';
import type { PoolCreation } from '../pretradePorts.ts';
import { fromBalanceReplies, toBalanceCalls } from '../readBalances.ts';
import { toExit, toExitCall } from '../tokenCalls.ts';
import type { PretradeWorld } from '../tokenReading.ts';

/** More pools than this are not measured in one call; the answer says so. */
export const mostKnownPools = 24;

interface ExitAsk {
  token: Address;
  /** Pools that no slot finds. */
  pools: readonly KnownPool[];
  block: Hex | 'latest';
}

/**
 * Adds the exit lens to a batch, and beside it what pairs from logs hold of assets that nobody vouches for.
 * @returns reads the reply; throws NodeRefusedError
 */
export function addExit(
  batch: Batch,
  world: PretradeWorld,
  node: Node,
  { token, pools, block }: ExitAsk,
): () => ExitReading {
  const reply = batch.add(toExitCall(world, node, token, pools, block));
  const holdings = toCounterHoldings(pools);
  const balances = batch.add(...toBalanceCalls(holdings, block));
  return () => {
    const exit = toExit(reply()[0]);
    return { ...exit, exits: settleDeadCounters(exit.exits, holdings, fromBalanceReplies(holdings, balances())) };
  };
}

/** Creations from the token's side: those that a slot must find, and the others. */
export const splitPools = ({ data }: PretradeWorld, token: Address, creations: readonly PoolCreation[]) =>
  splitListed(creations, token, {
    slots: data.slots,
    bases: data.deployment.pricingAssets,
    wrapped: data.deployment.wrappedNative,
  });

/** The same pools, in any order. */
export function samePools(a: readonly KnownPool[], b: readonly KnownPool[]): boolean {
  const keys = new Set(a.map(keyOfPool));
  return a.length === b.length && b.every((pool) => keys.has(keyOfPool(pool)));
}
