import { numberToHex } from 'viem';
import type { Node } from '../../chain/node.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import { type EarlierRead, readStates } from '../../pools/readPools.ts';
import { kinds } from '../../venues/kinds.ts';
import type { ChainData } from '../chainData.ts';
import { isPausedB20, loadFunding } from '../funding/loadFunding.ts';
import { type FoundPlan, readExecutedPlan, unfunded } from '../plan/executedPlan.ts';
import { executePlans } from '../plan/executePlans.ts';
import { executeUnpaid } from '../plan/executeUnpaid.ts';
import type { Execute } from '../plan/executionTypes.ts';
import { searchFor } from '../plan/searchFor.ts';
import { type OrderSize, sizeOrder } from '../query/sizeOrder.ts';
import type { QuoteQuery } from '../quoteTypes.ts';
import type { Order } from '../search/planTypes.ts';
import type { RecalledPools } from './foundPools.ts';
import type { Search } from './marketMemory.ts';
import { type MarketRead, searchUnlessSame, toOrder, worthIn } from './prepareMarket.ts';

/** Tick limit of the second read, for an order that leaves the ticks of the first one. */
const maxTicks = 512;

/** A market, and its best plan as it was executed. */
export interface PlannedMarket {
  size: OrderSize;
  read: EarlierRead;
  /** Pools and gaps of earlier searches, as of the request for the states. */
  recalled: RecalledPools;
  search: Search | undefined;
  /** Undefined if there is no amount to quote, or if transfers of tokenIn are paused. */
  found: FoundPlan | undefined;
}

/**
 * Searches the states of a market and executes the best plan at their block. Sends nothing if the read executed it. Keeps
 * the states, which predict the next plan.
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function planMarket(
  data: ChainData,
  query: QuoteQuery,
  market: MarketRead,
  node: Node,
): Promise<PlannedMarket> {
  const size = sizeOrder(query, market.read.states, data.deployment);
  const planned = await findPlan(data, query, market, size, node);
  data.markets.set(query, { ...planned.read, search: planned.search });
  return { ...planned, size, recalled: market.recalled };
}

async function findPlan(
  data: ChainData,
  { tokenIn, tokenOut }: QuoteQuery,
  { read: first, done, predicted, recalled: { known } }: MarketRead,
  size: OrderSize,
  node: Node,
): Promise<Omit<PlannedMarket, 'size' | 'recalled'>> {
  const order = toOrder(first.states, size);
  if (!order) return { read: first, search: undefined, found: undefined };
  const block = numberToHex(first.states.block.number);
  // An account that does not hold the token proves nothing, whatever the token reports.
  const isFundable = (await loadFunding(data, node, order.tokenIn)) !== 'unknown';
  let read = first;
  let search = searchUnlessSame(data, first.states, order, predicted);
  if (search.result.needsTicks) {
    const feeds = first.states.feeds.map(({ address }) => address);
    const marketQuery = { tokenIn, tokenOut, feeds, known, worth: worthIn(data, first.states, order), ticks: maxTicks };
    ({ read } = await readStates(data.states, marketQuery, node, block, first));
    search = searchUnlessSame(data, read.states, order);
  }
  const paid: Execute = (plans, earlier) => executePlans(data, tokenIn, plans, block, node, earlier);
  const found = isFundable
    ? await readExecutedPlan(data, read.states, order, { result: search.result, done }, paid)
    : unfunded;
  if (found !== unfunded) {
    return { read, search: { ...search, leftOut: found.leftOut, sampled: found.sampled }, found };
  }
  if (await isPausedB20(node, tokenIn, block)) return { read, search, found: undefined };
  const states = toUnpaidStates(read.states, order);
  const unpaid: Execute = (plans) => executeUnpaid(data, plans, block, node);
  const result = searchFor(data, states, order);
  const filled = await readExecutedPlan(data, states, order, { result, done: [] }, unpaid);
  return { read, search, found: filled === unfunded ? undefined : filled };
}

/** The pools of routes that `executeUnpaid` accepts: those of at most two legs, without weighted pools. */
function toUnpaidStates(states: StateReading, { tokenIn, tokenOut }: Order): StateReading {
  const own = [tokenIn, tokenOut];
  const pools = states.pools.filter(
    ({ ref }) => (own.includes(ref.token0) || own.includes(ref.token1)) && ref.candidatePool.kind !== kinds.weighted,
  );
  return { ...states, pools };
}
