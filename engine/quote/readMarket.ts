import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Hex, numberToHex } from 'viem';
import type { Node } from '../chain/node.ts';
import type { LowerAddress } from '../lowerAddress.ts';
import { heldInWeighted } from '../pools/balancerV2/heldInWeighted.ts';
import type { StateReading } from '../pools/decodeStates.ts';
import type { PoolIndexState } from '../pools/poolIndex.ts';
import { type EarlierRead, readStatesBeside } from '../pools/readPools.ts';
import type { KnownPool } from '../pools/stateQuery.ts';
import type { CandidatePool } from '../venues/candidatePool.ts';
import type { ExecutedPlan, Order } from './choosePlan.ts';
import { type FoundPlan, predictRequests, readExecutedPlan, unfunded } from './executedPlan.ts';
import { decodeExecutionReply, toExecutionRequests, unlessRefused } from './execution/executePlans.ts';
import type { PlanExecution } from './execution/executionTypes.ts';
import type { LogGap } from './findTokenPools.ts';
import { isPausedB20 } from './funding/isPausedB20.ts';
import type { LensReading } from './lensReading.ts';
import { type Search, withKnown } from './marketMemory.ts';
import { type NextBlock, readNextBlock } from './nextBlock.ts';
import { findNotCovered, type NotCovered } from './notCovered.ts';
import type { QuoteQuery } from './quoteTypes.ts';
import { type ChainData, loadFunding, readUnpaid } from './readFunded.ts';
import { roundsToZero } from './roundsToZero.ts';
import type { FilledLeg } from './search/planTypes.ts';
import { listedTokens, searchFor } from './searchFor.ts';
import { feedsOf, type OrderSize, sizeOrder } from './sizeOrder.ts';
import { feeOf, toPlanReading } from './toPlanReading.ts';
import { decodeTrial, prepareTrial } from './tryRoutes.ts';
import { readUncovered, type UncoveredHolders, withHookedPools } from './uncoveredVenues.ts';
import { feedReadingOf } from './usdFeeds.ts';
import { type PlanValues, valuesOf } from './usdPrices.ts';
import type { UsdDispute, UsdPriceSource } from './usdSize.ts';
import { worthOf } from './worthOf.ts';

/** The market for one query, and the source of the USD price that converted its size. */
export interface MarketReading {
  reading: LensReading;
  /** The executed plan; undefined if the quote lens or quoters measured single routes. */
  found?: (ExecutedPlan & { feeOf(leg: FilledLeg): number }) | undefined;
  usdSource?: UsdPriceSource | undefined;
  /** The USD price of tokenIn that its deepest pool contradicts. */
  usdDispute?: UsdDispute | undefined;
  /** The size in base units, also beyond 256 bits. */
  requested?: bigint;
  /** Values of the plan in USD; undefined without an executed plan. */
  values?: PlanValues | undefined;
  /** tokenIn has a feed that was not used: stale, without a price, or with the sequencer down. */
  feedRefused?: boolean;
  /** Pools and venues that cannot be quoted and could change the answer; undefined without an executed plan. */
  notCovered?: NotCovered | undefined;
  /** The plan in the next block; undefined if no fee of its pools depends on the block, or without an executed plan. */
  nextBlock?: NextBlock | undefined;
  /** Venues that cannot be quoted and may trade the token; read only if there is no route. */
  uncovered?: UncoveredHolders;
  /** The chain's candidate pools, and those of pools found only in logs. */
  candidatePools?: readonly CandidatePool[];
  /** The output of this size is less than one base unit of tokenOut. */
  roundsToZero?: boolean;
  /** Why pools of the tokens may be missing: the factories' logs were not read in full. */
  logGap?: LogGap | undefined;
  /** The progress of the index that will contain those pools. */
  poolIndex?: PoolIndexState | undefined;
  /** Third parties whose pools were tried as well. */
  hintSources?: readonly string[];
}

/** Tick limit of the second read, for an order that leaves the ticks of the first one. */
const maxTicks = 512;
/** EIP-1559 changes the base fee by at most an eighth per block. The search estimates gas less precisely than that. */
const maxFeeChange = 8n;

/**
 * Reads the pools' states, finds the best plan in the process and has the node execute it at the same block. One request
 * if the last states of the market predict the plan, or if the first read of a new market executed it; otherwise two. One
 * more for each of these: an execution contradicts the states, the order leaves the ticks that were read, tokenIn is new,
 * logs contain further pools of a new token, there is no route.
 *
 * @param at the block to read
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function readMarket(
  data: ChainData,
  query: QuoteQuery,
  node: Node,
  at: Hex | 'latest' = 'latest',
): Promise<MarketReading> {
  const { tokenIn, tokenOut } = query;
  const { deployment } = data;
  const isNew = data.markets.find(query) === undefined;
  let { known } = data.found.recall(query);
  const predicted = readPredicted(data, query, known, node, at);
  // The states are requested first, because they take the node longer than the logs.
  const searched = nextTurn().then(() => data.found.search(query, node));
  let first = await predicted;
  // A known market does not wait for the search: its next quote uses these pools.
  if (isNew && (await searched)) {
    ({ known } = data.found.recall(query));
    if (known.length > 0) first = await readFoundPools(data, query, known, first, node);
  }
  const size = sizeOrder(query, first.read.states, deployment);
  const block = numberToHex(first.read.states.block.number);
  const { read, search, found: plan } = await findPlan(data, query, { ...first, known, size, block }, node);
  const found = plan === unfunded && (await isPausedB20(node, tokenIn, block)) ? undefined : plan;
  const { states } = read;
  data.markets.remember(query, { ...read, search });
  const { usdSource, dispute: usdDispute, feedRefused, requested } = size;
  const sizing = { usdSource, usdDispute, feedRefused, requested };
  if (found === unfunded) {
    const unpaid = await readUnpaid(data, { tokenIn, tokenOut }, size.amountIn, block, node);
    const reading = { ...unpaid, feed: feedReadingOf(tokenIn, states, deployment), sequencer: states.sequencer };
    return { reading, ...sizing };
  }
  const candidatePools = withCandidatePoolsOf(found, states, data.candidatePools);
  const reading = toPlanReading({ states, size, candidatePools, deployment, found });
  const executed = found && { ...found, feeOf: (leg: FilledLeg) => feeOf(leg.pool, leg, states) };
  const { gap: logGap, hooked, others, index: poolIndex, hintSources } = data.found.recall(query);
  const market = {
    reading,
    found: executed,
    values: found?.best && valuesOf(found.best.filled, states, deployment),
    notCovered: found?.best && findNotCovered(others, found.best.filled, states, deployment),
    nextBlock: found?.best && (await readNextBlock(data, found.best.filled, states, node)),
    ...sizing,
    candidatePools,
    logGap,
    poolIndex,
    hintSources,
  };
  const isUnpriced = size.surveyed && !size.usdSource;
  if (found ? found.best : !isUnpriced) return market;
  // A pool created in the meantime may be the only one, so the next query looks up all pools again.
  data.markets.forget(query);
  for (const { a, b } of states.pairs) data.states.pairs?.forget(a, b);
  if (first.isKnown) return readMarket(data, query, node, at);
  data.found.forget(query);
  if (!found) return market;
  const heldInPools = heldInWeighted(states.pools);
  const uncovered = await readUncovered(deployment, [tokenIn, tokenOut], block, node, heldInPools);
  const holders = hooked ? withHookedPools(uncovered) : uncovered;
  return { ...market, uncovered: holders, roundsToZero: search ? roundsToZero(data, search) : false };
}

/** Reads the states again with pools found in logs, at the block of the first read. */
async function readFoundPools(
  data: ChainData,
  query: QuoteQuery,
  known: readonly KnownPool[],
  { read: { states }, isKnown }: Read,
  node: Node,
): Promise<Read> {
  const { tokenIn, tokenOut } = query;
  const marketQuery = { tokenIn, tokenOut, feeds: feedsOf(query, data.deployment), known };
  const { read } = await readStatesBeside(data.states, marketQuery, [], node, numberToHex(states.block.number));
  return { read, isKnown, done: [] };
}

/** The chain's candidate pools, then those of other pools in the plan and of others that failed or were not read. */
function withCandidatePoolsOf(
  found: ExecutedPlan | undefined,
  { unread }: StateReading,
  candidatePools: readonly CandidatePool[],
): readonly CandidatePool[] {
  const legs = found?.best?.filled.legs.map(({ pool }) => pool.candidatePool) ?? [];
  const failed = [...(found?.failed ?? []), ...unread].map(({ ref }) => ref.candidatePool);
  return [...new Set([...candidatePools, ...legs, ...failed])];
}

interface Read {
  read: EarlierRead;
  /** The pools come from an earlier look-up, so newer ones may be missing. */
  isKnown: boolean;
  /** Executions of predicted plans at the same block. */
  done: readonly PlanExecution[];
  /** The search that predicted them. */
  predicted?: Search | undefined;
}

/** Reads the states. If the plan can be predicted from earlier ones, the same request executes it. */
async function readPredicted(
  data: ChainData,
  query: QuoteQuery,
  known: readonly KnownPool[],
  node: Node,
  at: Hex | 'latest',
): Promise<Read> {
  const { tokenIn, tokenOut } = query;
  const unsized = { tokenIn, tokenOut, feeds: feedsOf(query, data.deployment), known };
  const earlier = withKnown(data.markets.find(query), known);
  const isKnown = earlier?.locations !== undefined;
  const order = earlier && toOrder(earlier.states, sizeOrder(query, earlier.states, data.deployment));
  if (!earlier || !order || !isFundable(data, tokenIn)) {
    const prepared = isKnown ? undefined : await prepareTrial(data, query, node);
    const marketQuery = { ...unsized, trial: prepared?.trial };
    const { read, tried, isRecalled } = await readStatesBeside(
      data.states,
      marketQuery,
      [],
      node,
      at,
      earlier,
      prepared,
    );
    const done = prepared && tried ? decodeTrial(data, query, prepared.trial, tried) : [];
    return { read, isKnown: isRecalled, done };
  }
  const marketQuery = { ...unsized, worth: worthIn(data, earlier.states, order) };
  const predicted = searchUnlessSame(data, earlier.states, order, earlier.search);
  const requests = predictRequests(data, earlier.states, order, predicted.result, earlier.search);
  const executionRequests =
    requests.length > 0 ? await toExecutionRequests(data, order.tokenIn, requests, at, node) : [];
  const lenses = executionRequests.map(({ request }) => request);
  const { read, answers, isRecalled } = await readStatesBeside(data.states, marketQuery, lenses, node, at, earlier);
  const { number, parentHash } = read.states.block;
  const readings = executionRequests
    .map((request, index) => decodeExecutionReply(data, order.tokenIn, request, answers[index] ?? '0x'))
    .filter((other) => other.funded && other.blockNumber === number && other.parentHash === parentHash);
  const found = new Set(read.states.pools.map(({ ref }) => ref.id));
  // An answer must not depend on earlier reads, so drop plans over pools that only these found.
  const executions = unlessRefused(readings);
  const done = executions.filter(({ plan }) => plan.legs.every(({ pool }) => found.has(pool.id)));
  return { read, isKnown: isRecalled, done, predicted };
}

function isFundable({ funding }: ChainData, tokenIn: LowerAddress): boolean {
  const known = funding.find(tokenIn);
  return known !== undefined && known !== 'unknown';
}

/**
 * The order's value in base units of each listed token. Rounded down, so that orders of similar size encode the same
 * request. Pools of unlisted tokens are excluded: at their prices, the value could exceed the liquidity of
 * all honest pools.
 */
function worthIn(data: ChainData, { pools }: StateReading, order: Order): Map<LowerAddress, bigint> {
  const { tokenIn, amountIn } = order;
  const listed = listedTokens(data, order);
  const usable = pools.filter(({ ref }) => listed.has(ref.token0) && listed.has(ref.token1));
  const tokens = [...new Set([tokenIn, ...usable.flatMap(({ ref }) => [ref.token0, ref.token1])])];
  const worth = worthOf({ tokenIn, amountIn: toTwoDigits(amountIn) }, tokens, usable);
  return new Map([...worth].map(([token, amount]) => [token, toTwoDigits(amount)]));
}

/** The amount with all but its two highest binary digits set to zero. */
function toTwoDigits(amount: bigint): bigint {
  const rest = BigInt(Math.max(0, amount.toString(2).length - 2));
  return (amount >> rest) << rest;
}

/** The order; undefined if there is no amount to quote. */
function toOrder({ tokens: [sold, bought] }: StateReading, { amountIn }: OrderSize): Order | undefined {
  if (!sold || !bought || amountIn === 0n) return undefined;
  if (sold.supply > 0n && amountIn > sold.supply) return undefined;
  return { tokenIn: sold.address, tokenOut: bought.address, amountIn };
}

async function findPlan(
  data: ChainData,
  { tokenIn, tokenOut }: QuoteQuery,
  {
    read: first,
    done,
    predicted,
    known,
    size,
    block,
  }: Read & { known: readonly KnownPool[]; size: OrderSize; block: Hex },
  node: Node,
): Promise<{ read: EarlierRead; search?: Search; found: FoundPlan | typeof unfunded | undefined }> {
  const order = toOrder(first.states, size);
  if (!order) return { read: first, found: undefined };
  // An account that does not hold the token proves nothing, whatever the token reports.
  if ((await loadFunding(data, node, order.tokenIn)) === 'unknown') return { read: first, found: unfunded };
  let read = first;
  let search = searchUnlessSame(data, first.states, order, predicted);
  if (search.result.needsTicks) {
    const feeds = first.states.feeds.map(({ address }) => address);
    const marketQuery = { tokenIn, tokenOut, feeds, known, worth: worthIn(data, first.states, order), ticks: maxTicks };
    ({ read } = await readStatesBeside(data.states, marketQuery, [], node, block, first));
    search = searchUnlessSame(data, read.states, order);
  }
  const found = await readExecutedPlan(data, read.states, order, { result: search.result, done }, block, node);
  const repeats = found !== unfunded && { leftOut: found.leftOut, sampled: found.sampled };
  return { read, search: { ...search, ...repeats }, found };
}

/** Searches the states. Returns `last` if order and pools are the same and the base fee differs by at most an eighth. */
function searchUnlessSame(data: ChainData, states: StateReading, order: Order, last?: Search): Search {
  if (last?.states.pools === states.pools && last.order.amountIn === order.amountIn) {
    const [before, after] = [last.states.block.baseFee, states.block.baseFee];
    const change = before < after ? after - before : before - after;
    if (change * maxFeeChange <= before) return last;
  }
  return { states, order, result: searchFor(data, states, order) };
}
