import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Hex, numberToHex } from 'viem';
import type { Node } from '../../chain/node.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import { pairKey } from '../../pools/poolLocations.ts';
import { readStates } from '../../pools/readPools.ts';
import type { ChainData } from '../chainData.ts';
import { roundsToZero } from '../plan/searchFor.ts';
import { feedsOf } from '../query/sizeOrder.ts';
import type { QuoteQuery } from '../quoteTypes.ts';
import type { RecalledPools } from './foundPools.ts';
import type { Market } from './market.ts';
import { readNextBlock } from './nextBlock.ts';
import { findNotCovered } from './notCovered.ts';
import { type PlannedMarket, planMarket } from './planMarket.ts';
import { type MarketRead, prepareMarket } from './prepareMarket.ts';
import { heldInWeighted, readUncovered, withHookedPools } from './uncoveredVenues.ts';

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
): Promise<Market> {
  const { tokenIn, tokenOut } = query;
  const { deployment } = data;
  const isNew = data.markets.get(query) === undefined;
  const reading = readPrepared(data, query, node, at);
  // The states are requested first, because they take the node longer than the logs.
  const searched = nextTurn().then(() => data.found.search(query, node));
  let first = await reading;
  // A known market does not wait for the search: its next quote uses these pools.
  if (isNew) {
    await searched;
    const recalled = data.found.recall(query);
    const requested = new Set(first.recalled.known.map(({ ref }) => ref.id));
    const isMore = recalled.known.some(({ ref }) => !requested.has(ref.id));
    first = isMore ? await readFoundPools(data, query, recalled, first, node) : { ...first, recalled };
  }
  const planned = await planMarket(data, query, first, node);
  const { size, search, found } = planned;
  const { states } = planned.read;
  const market = {
    ...toSearchedMarket(data, planned),
    nextBlock: found?.best && !found.best.isUnpaid ? await readNextBlock(data, found.best, states, node) : undefined,
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
  const holders = planned.recalled.hooked ? withHookedPools(uncovered) : uncovered;
  return { ...market, uncovered: holders, roundsToZero: search ? roundsToZero(data, search) : false };
}

/** Makes the next query look up all pools of the market again. @param read its states */
export function forgetMarket(
  { markets, states }: ChainData,
  query: QuoteQuery,
  read: Pick<StateReading, 'pairs'>,
): void {
  for (const { a, b } of read.pairs) states.pairs?.forget(pairKey(a, b));
  markets.forget(query);
}

/** A planned market as `quote` evaluates it, with what searches for further pools and venues found. */
export function toSearchedMarket({ deployment }: Pick<ChainData, 'deployment'>, planned: PlannedMarket): Market {
  const { found, read, recalled } = planned;
  const { gap: logGap, others, index: poolIndex, hintSources } = recalled;
  const notCovered = found?.best && findNotCovered(others, found.best, read.states, deployment);
  return { ...toMarket(planned), notCovered, logGap, poolIndex, hintSources };
}

/** A planned market without what searches for further pools and venues found. */
export const toMarket = ({ read: { states }, size, found }: PlannedMarket): Market => ({ states, size, found });

/** Sends the prepared calls for the states of the market. */
async function readPrepared(data: ChainData, query: QuoteQuery, node: Node, at: Hex | 'latest'): Promise<MarketRead> {
  const { requests, read } = await prepareMarket(data, query, node, at);
  const answers = await data.lens.readLenses(node, requests);
  return read(answers, node);
}

/** Reads the states again with pools found in logs, at the block of the first read. */
async function readFoundPools(
  data: ChainData,
  query: QuoteQuery,
  recalled: RecalledPools,
  { read: { states }, isKnown }: MarketRead,
  node: Node,
): Promise<MarketRead> {
  const { tokenIn, tokenOut } = query;
  const marketQuery = { tokenIn, tokenOut, feeds: feedsOf(query, data.deployment), known: recalled.known };
  const { read } = await readStates(data.states, marketQuery, node, numberToHex(states.block.number));
  return { read, isKnown, recalled, done: [] };
}
