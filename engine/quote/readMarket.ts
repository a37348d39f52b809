import { type Address, numberToHex } from 'viem';
import type { Node } from '../chain/node.ts';
import type { StateReading } from '../pools/decodeStates.ts';
import { readMarketStates, readStatesBeside } from '../pools/readPools.ts';
import type { KnownPool } from '../pools/stateQuestion.ts';
import type { Slot } from '../venues/venueTypes.ts';
import type { LensReading } from './lensReading.ts';
import type { PlanProof } from './proof/proofTypes.ts';
import { readProof, toProofAsks } from './proof/provePlans.ts';
import { type Order, type ProvenPlan, readProvenPlan, searchFor, toRequests, unfunded } from './provenPlan.ts';
import type { QuoteQuestion } from './quoteTypes.ts';
import { type ChainData, knowFunding, readUnpaid } from './readFunded.ts';
import type { FilledLeg } from './search/planTypes.ts';
import { feedsOf, type OrderSize, sizeOrder } from './sizeOrder.ts';
import { feeOf, toPlanReading } from './toPlanReading.ts';
import { readUncovered, type UncoveredHolders, withHookedPools } from './uncoveredVenues.ts';
import type { UsdPriceSource } from './usdSize.ts';
import { worthOf } from './worthOf.ts';

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
  /** The chain's slots, and those of pools that only logs show. */
  slots?: readonly Slot[];
  /** Why pools of the tokens may be missing: the factories' logs were not read in full. */
  logGap?: string | undefined;
}

/** More ticks than the first read takes of a pool, for an order that leaves those. */
const mostTicks = 512;

/**
 * Reads the pools' states, finds the best plan in the process and has the node execute it at the same block. One request
 * if the last states of the market predict the plan, else two. One more each: an execution contradicts the states, the
 * order leaves the ticks that were read, tokenIn is new, logs show further pools of a new token, there is no route.
 * @throws {NodeRefusedError | RpcTransportError}
 */
export async function readMarket(data: ChainData, question: QuoteQuestion, node: Node): Promise<MarketReading> {
  const { tokenIn, tokenOut } = question;
  const { deployment } = data;
  const isNew = data.markets.find(question) === undefined;
  const searched = data.found.search(question, node);
  let known = data.found.recall(question);
  let read = await readPredicted(data, question, known.known, node);
  // A market that is known waits for nothing: it uses these pools the next time.
  if (isNew && (await searched)) {
    known = data.found.recall(question);
    if (known.known.length > 0) read = await readFoundPools(data, question, known.known, read.states, node);
  }
  const size = sizeOrder(question, read.states, deployment);
  const block = `0x${read.states.block.number.toString(16)}` as const;
  const { states, found } = await findPlan(data, question, { ...read, known: known.known, size, block }, node);
  data.markets.remember(question, states);
  if (found === unfunded) {
    const reading = await readUnpaid(data, { tokenIn, tokenOut }, size.amountIn, block, node);
    return { reading, usdSource: size.usdSource, feedRefused: size.feedRefused };
  }
  const slots = withSlotsOf(found, data.slots);
  const reading = toPlanReading({ states, size, slots, deployment, found });
  const proven = found && { ...found, feeOf: (leg: FilledLeg) => feeOf(leg.pool, leg, states) };
  const { gap: logGap, hooked } = data.found.recall(question);
  const market = { reading, found: proven, usdSource: size.usdSource, feedRefused: size.feedRefused, slots, logGap };
  if (!found || found.best) return market;
  const uncovered = await readUncovered(deployment, [tokenIn, tokenOut], block, node);
  return { ...market, uncovered: hooked ? withHookedPools(uncovered) : uncovered };
}

/** Reads the states again with pools that only logs show, at the block of the first read. */
async function readFoundPools(
  data: ChainData,
  question: QuoteQuestion,
  known: readonly KnownPool[],
  { block: { number } }: StateReading,
  node: Node,
): Promise<Read> {
  const { tokenIn, tokenOut } = question;
  const asked = { tokenIn, tokenOut, feeds: feedsOf(question, data.deployment), known };
  return { states: await readMarketStates(data.states, asked, node, numberToHex(number)), done: [] };
}

/** The chain's slots, then those of the plan's other pools. */
function withSlotsOf(found: ProvenPlan | undefined, slots: readonly Slot[]): readonly Slot[] {
  const legs = found?.best?.filled.legs.map(({ pool }) => pool.slot) ?? [];
  const failed = found?.failed.map(({ ref }) => ref.slot) ?? [];
  return [...new Set([...slots, ...legs, ...failed])];
}

interface Read {
  states: StateReading;
  /** Executions of predicted plans at the same block. */
  done: readonly PlanProof[];
}

/** Reads the states. If the plan can be predicted from earlier ones, the same request executes it. */
async function readPredicted(
  data: ChainData,
  question: QuoteQuestion,
  known: readonly KnownPool[],
  node: Node,
): Promise<Read> {
  const { tokenIn, tokenOut } = question;
  const unsized = { tokenIn, tokenOut, feeds: feedsOf(question, data.deployment), known };
  const last = data.markets.find(question);
  const order = last && toOrder(last, sizeOrder(question, last, data.deployment));
  if (!last || !order || !isFundable(data, tokenIn)) {
    return { states: await readMarketStates(data.states, unsized, node, 'latest'), done: [] };
  }
  const asked = { ...unsized, worth: worthIn(last, order) };
  const requests = toRequests(searchFor(data, last, order), order.amountIn, last.pools);
  if (requests.length === 0) {
    return { states: await readMarketStates(data.states, asked, node, 'latest'), done: [] };
  }
  const asks = await toProofAsks(data, order.tokenIn, requests, 'latest', node);
  const lenses = asks.map(({ ask }) => ask);
  const { states, answers } = await readStatesBeside(data.states, asked, lenses, node, 'latest');
  const { number, parentHash } = states.block;
  const readings = asks
    .map((ask, index) => readProof(data, order.tokenIn, ask, answers[index] ?? '0x'))
    .filter((other) => other.funded && other.blockNumber === number && other.parentHash === parentHash);
  const found = new Set(states.pools.map(({ ref }) => ref.id));
  // An answer depends on its block alone, not on pools that only an earlier read found.
  const proofs = readings.flatMap((reading) => reading.proofs);
  return { states, done: proofs.filter(({ plan }) => plan.legs.every(({ pool }) => found.has(pool.id))) };
}

function isFundable({ funding }: ChainData, tokenIn: Address): boolean {
  const known = funding.find(tokenIn);
  return known !== undefined && known !== 'unknown';
}

const worthIn = ({ pools, tokens }: StateReading, order: Order) =>
  worthOf(
    order,
    tokens.map(({ address }) => address),
    pools,
  );

/** The order; undefined if there is no amount to quote. */
function toOrder({ tokens: [sold, bought] }: StateReading, { amountIn }: OrderSize): Order | undefined {
  if (!sold || !bought || amountIn === 0n) return undefined;
  if (sold.supply > 0n && amountIn > sold.supply) return undefined;
  return { tokenIn: sold.address, tokenOut: bought.address, amountIn };
}

async function findPlan(
  data: ChainData,
  { tokenIn, tokenOut }: QuoteQuestion,
  {
    states: first,
    done,
    known,
    size,
    block,
  }: Read & { known: readonly KnownPool[]; size: OrderSize; block: `0x${string}` },
  node: Node,
): Promise<{ states: StateReading; found: ProvenPlan | typeof unfunded | undefined }> {
  const order = toOrder(first, size);
  if (!order) return { states: first, found: undefined };
  // Nothing is proven with an account that does not hold the token, whatever the token reports.
  if ((await knowFunding(data, node, order.tokenIn)) === 'unknown') return { states: first, found: unfunded };
  let states = first;
  let result = searchFor(data, states, order);
  if (result.needsTicks) {
    const feeds = states.feeds.map(({ address }) => address);
    const asked = { tokenIn, tokenOut, feeds, known, worth: worthIn(states, order), ticks: mostTicks };
    states = await readMarketStates(data.states, asked, node, block);
    result = searchFor(data, states, order);
  }
  return { states, found: await readProvenPlan(data, states, order, { result, done }, block, node) };
}
