import { type Node, NodeRefusedError } from '../../chain/node.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import type { PoolIndexState } from '../../pools/poolIndex.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import type { ExecutedPlan } from '../plan/choosePlan.ts';
import type { OrderSize } from '../query/sizeOrder.ts';
import type { LogGap } from './findTokenPools.ts';
import type { NextBlock } from './nextBlock.ts';
import type { NotCovered } from './notCovered.ts';
import type { UncoveredHolders } from './uncoveredVenues.ts';

/** A market at one block: what was read, the size of the order, and what executions of its plans paid. */
export interface Market {
  states: StateReading;
  size: OrderSize;
  /** Undefined if there is no amount to quote, or if transfers of tokenIn are paused. */
  found: ExecutedPlan | undefined;
  /** Pools and venues that cannot be quoted and could change the answer; undefined without an executed plan. */
  notCovered?: NotCovered | undefined;
  /** The plan in the next block; undefined if no fee of its pools depends on the block, or without an executed plan. */
  nextBlock?: NextBlock | undefined;
  /** Venues that cannot be quoted and may trade the token; read only if there is no route. */
  uncovered?: UncoveredHolders;
  /** The output of this size is less than one base unit of tokenOut. */
  roundsToZero?: boolean;
  /** Why pools of the tokens may be missing: the factories' logs were not read in full. */
  logGap?: LogGap | undefined;
  /** The progress of the index that will contain those pools. */
  poolIndex?: PoolIndexState | undefined;
  /** Third parties whose pools were tried as well. */
  hintSources?: readonly string[];
}

/** The size exceeds the total supply, so no pool was tried. */
export function isBeyondSupply({ states, size }: Pick<Market, 'states' | 'size'>): boolean {
  const supply = states.tokens[0]?.supply ?? 0n;
  return supply > 0n && size.amountIn > supply;
}

/** Whether the pools matter: for a sale, or to price a size in USD. */
export const isTried = (market: Pick<Market, 'states' | 'size'>): boolean =>
  (market.size.amountIn > 0n || market.size.surveyed) && !isBeyondSupply(market);

/**
 * Asserts that a market without a route was read: the node must have returned at least one pool, or the absence of one. A
 * node whose calls run out of gas returns neither, also for pairs of routing assets, which no caller chooses.
 * @throws {NodeRefusedError}
 */
export function assertRead(market: Market, { routingAssets }: Deployment, node: Node): Market {
  const { states, size, found } = market;
  if (found?.best || size.amountIn === 0n || isBeyondSupply(market)) return market;
  const assets = new Set<string>(routingAssets.map(({ address }) => address));
  const listed = states.pairs.filter(({ a, b }) => assets.has(a) && assets.has(b));
  const isUnread = ({ statuses }: (typeof states.pairs)[number]) =>
    statuses.includes('unread') &&
    statuses.every((status) => status === 'unread' || status === 'not-requested' || status === 'no-factory');
  if (listed.length === 0 || !states.pairs.every(isUnread)) return market;
  throw new NodeRefusedError(`${node.label} read no pool: its calls may have too little gas.`);
}
