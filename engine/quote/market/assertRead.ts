import { type Node, NodeRefusedError } from '../../chain/node.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import type { MarketReading } from './readMarket.ts';

/**
 * Asserts that a market without a route was read: the node must have returned at least one pool, or the absence of one. A
 * node whose calls run out of gas returns neither, also for pairs of routing assets, which no caller chooses.
 * @throws {NodeRefusedError}
 */
export function assertRead(market: MarketReading, { routingAssets }: Deployment, node: Node): MarketReading {
  const { routes, pairs, amountIn } = market.reading;
  if (routes.length > 0 || amountIn === 0n) return market;
  const assets = new Set<string>(routingAssets.map(({ address }) => address));
  const listed = pairs.filter(({ tokenIn, tokenOut }) => assets.has(tokenIn) && assets.has(tokenOut));
  const isUnread = ({ statuses }: (typeof pairs)[number]) =>
    statuses.includes('unread') &&
    statuses.every((status) => status === 'unread' || status === 'not-requested' || status === 'no-factory');
  if (listed.length === 0 || !pairs.every(isUnread)) return market;
  throw new NodeRefusedError(`${node.label} read no pool: its calls may have too little gas.`);
}
