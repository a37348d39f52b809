import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Hex, numberToHex } from 'viem';
import type { Node } from '../../chain/node.ts';
import { heldInWeighted } from '../../pools/balancerV2/heldInWeighted.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import type { PoolIndexState } from '../../pools/poolIndex.ts';
import { readStatesBeside } from '../../pools/readPools.ts';
import type { KnownPool } from '../../pools/stateQuery.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import type { LensReading } from '../answer/lensReading.ts';
import { feeOf, toPlanReading } from '../answer/toPlanReading.ts';
import { type PlanValues, valuesOf } from '../answer/usdPrices.ts';
import type { ChainData } from '../chainData.ts';
import type { ExecutedPlan } from '../plan/choosePlan.ts';
import { roundsToZero } from '../plan/roundsToZero.ts';
import { feedsOf } from '../query/sizeOrder.ts';
import type { UsdDispute, UsdPriceSource } from '../query/usdSize.ts';
import type { QuoteQuery } from '../quoteTypes.ts';
import type { FilledLeg } from '../search/planTypes.ts';
import type { LogGap } from './findTokenPools.ts';
import { type NextBlock, readNextBlock } from './nextBlock.ts';
import { findNotCovered, type NotCovered } from './notCovered.ts';
import { type PlannedMarket, planMarket } from './planMarket.ts';
import { type MarketRead, prepareMarket } from './prepareMarket.ts';
import { readUncovered, type UncoveredHolders, withHookedPools } from './uncoveredVenues.ts';

/** The market for one query, and the source of the USD price that converted its size. */
export interface MarketReading {
  reading: LensReading;
  /** The executed plan; undefined if quoters measured single routes, or if there is no amount to quote. */
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
  const reading = readPrepared(data, query, known, node, at);
  // The states are requested first, because they take the node longer than the logs.
  const searched = nextTurn().then(() => data.found.search(query, node));
  let first = await reading;
  // A known market does not wait for the search: its next quote uses these pools.
  if (isNew && (await searched)) {
    ({ known } = data.found.recall(query));
    if (known.length > 0) first = await readFoundPools(data, query, known, first, node);
  }
  const planned = await planMarket(data, query, { ...first, known }, node);
  const { size, search, found, isPaid } = planned;
  const { states } = planned.read;
  const market = {
    ...toSearchedMarket(data, query, planned),
    nextBlock: found?.best && isPaid ? await readNextBlock(data, found.best.filled, states, node) : undefined,
  };
  const isUnpriced = size.surveyed && !size.usdSource;
  if (found ? found.best : !isUnpriced) return market;
  // A pool created in the meantime may be the only one, so the next query looks up all pools again.
  forgetMarket(data, query, states);
  if (first.isKnown) return readMarket(data, query, node, at);
  data.found.forget(query);
  if (!found) return market;
  const heldInPools = heldInWeighted(states.pools);
  const block = numberToHex(states.block.number);
  const uncovered = await readUncovered(deployment, [tokenIn, tokenOut], block, node, heldInPools);
  const holders = data.found.recall(query).hooked ? withHookedPools(uncovered) : uncovered;
  return { ...market, uncovered: holders, roundsToZero: search ? roundsToZero(data, search) : false };
}

/** Makes the next query look up all pools of the market again. */
export function forgetMarket(data: ChainData, query: QuoteQuery, { pairs }: Pick<StateReading, 'pairs'>): void {
  data.markets.forget(query);
  for (const { a, b } of pairs) data.states.pairs?.forget(a, b);
}

/** A planned market as `quote` evaluates it, with what searches for further pools and venues found. */
export function toSearchedMarket(data: ChainData, query: QuoteQuery, planned: PlannedMarket): MarketReading {
  const { found, read } = planned;
  const { gap: logGap, others, index: poolIndex, hintSources } = data.found.recall(query);
  const notCovered = found?.best && findNotCovered(others, found.best.filled, read.states, data.deployment);
  return { ...toMarketReading(data, planned), notCovered, logGap, poolIndex, hintSources };
}

/** A planned market without what searches for further pools and venues found. */
export function toMarketReading(data: ChainData, planned: PlannedMarket): MarketReading {
  const { deployment } = data;
  const { size, found, isPaid } = planned;
  const { states } = planned.read;
  const { usdSource, dispute: usdDispute, feedRefused, requested } = size;
  const candidatePools = withCandidatePoolsOf(found, states, data.candidatePools);
  return {
    reading: toPlanReading({ states, size, candidatePools, deployment, found, isPaid }),
    found: found && { ...found, feeOf: (leg: FilledLeg) => feeOf(leg.pool, leg, states) },
    values: found?.best && valuesOf(found.best.filled, states, deployment),
    ...{ usdSource, usdDispute, feedRefused, requested },
    candidatePools,
  };
}

/** Sends the prepared calls for the states of the market. */
async function readPrepared(
  data: ChainData,
  query: QuoteQuery,
  known: readonly KnownPool[],
  node: Node,
  at: Hex | 'latest',
): Promise<MarketRead> {
  const { requests, read } = await prepareMarket(data, query, known, node, at);
  const { answers } = await data.lens.readLenses(node, requests);
  return read(answers, node);
}

/** Reads the states again with pools found in logs, at the block of the first read. */
async function readFoundPools(
  data: ChainData,
  query: QuoteQuery,
  known: readonly KnownPool[],
  { read: { states }, isKnown }: MarketRead,
  node: Node,
): Promise<MarketRead> {
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
