import type { Node } from '../chain/node.ts';
import type { StateReading } from '../pools/decodeStates.ts';
import { readMarketStates } from '../pools/readPools.ts';
import type { LensReading } from './lensReading.ts';
import { type ProvenPlan, readProvenPlan, unfunded } from './provenPlan.ts';
import type { QuoteQuestion } from './quoteTypes.ts';
import { type ChainData, readUnpaid } from './readFunded.ts';
import type { FilledLeg } from './search/planTypes.ts';
import { feedsOf, type OrderSize, sizeOrder } from './sizeOrder.ts';
import { feeOf, toPlanReading } from './toPlanReading.ts';
import { readUncovered, type UncoveredHolders } from './uncoveredVenues.ts';
import type { UsdPriceSource } from './usdSize.ts';

/** The market for one question, and how a USD size became an amount. */
export interface MarketReading {
  reading: LensReading;
  /** The proven plan; undefined where a lens or quoters measured single routes. */
  found?: (ProvenPlan & { feeOf(leg: FilledLeg): number }) | undefined;
  usdSource?: UsdPriceSource | undefined;
  /** tokenIn has a feed, and it was not good enough. */
  feedRefused?: boolean;
  /** Venues that cannot be quoted and may trade the token; read only where there is no route. */
  uncovered?: UncoveredHolders;
}

/**
 * Reads the pools' states, finds the best plan in the process and has the node execute it at the same block. Two requests;
 * one more where an execution contradicts the states, for a token seen the first time, and where there is no route.
 * @throws {NodeRefusedError | RpcTransportError}
 */
export async function readMarket(data: ChainData, question: QuoteQuestion, node: Node): Promise<MarketReading> {
  const { tokenIn, tokenOut } = question;
  const { deployment, slots } = data;
  const feeds = feedsOf(question, deployment);
  const states = await readMarketStates(data.states, { tokenIn, tokenOut, feeds }, node, 'latest');
  const size = sizeOrder(question, states, deployment);
  const block = `0x${states.block.number.toString(16)}` as const;
  const found = await findPlan(data, states, size, block, node);
  if (found === unfunded) {
    const reading = await readUnpaid(data, { tokenIn, tokenOut }, size.amountIn, block, node);
    return { reading, usdSource: size.usdSource, feedRefused: size.feedRefused };
  }
  const reading = toPlanReading({ states, size, slots, deployment, found });
  const proven = found && { ...found, feeOf: (leg: FilledLeg) => feeOf(leg.pool, leg, states) };
  const market = { reading, found: proven, usdSource: size.usdSource, feedRefused: size.feedRefused };
  if (!found || found.best) return market;
  return { ...market, uncovered: await readUncovered(deployment, [tokenIn, tokenOut], block, node) };
}

async function findPlan(
  data: ChainData,
  states: StateReading,
  { amountIn }: OrderSize,
  block: `0x${string}`,
  node: Node,
): Promise<ProvenPlan | typeof unfunded | undefined> {
  const [sold, bought] = states.tokens;
  if (!sold || !bought || amountIn === 0n) return undefined;
  if (sold.supply > 0n && amountIn > sold.supply) return undefined;
  return readProvenPlan(data, states, { tokenIn: sold.address, tokenOut: bought.address, amountIn }, block, node);
}
