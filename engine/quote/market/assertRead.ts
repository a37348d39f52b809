import { type Node, NodeRefusedError } from '../../chain/node.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import { isBeyondSupply, type Market } from './market.ts';

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
