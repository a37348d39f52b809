import { type Hex, numberToHex } from 'viem';
import type { LensRequest } from '../../chain/lensCall.ts';
import type { Node } from '../../chain/node.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import { type EarlierRead, prepareStates } from '../../pools/readPools.ts';
import type { Pool } from '../../venues/poolTypes.ts';
import type { ChainData } from '../chainData.ts';
import { fundingOf } from '../funding/fundingMemory.ts';
import { missingRequests, predictRequests } from '../plan/executedPlan.ts';
import { decodeExecutionReply, toExecutionRequests, unlessRefused } from '../plan/executePlans.ts';
import type { PlanExecution, PlanRequest } from '../plan/executionTypes.ts';
import { listedTokens, searchFor } from '../plan/searchFor.ts';
import { feedsOf, type OrderSize, sizeOrder } from '../query/sizeOrder.ts';
import type { QuoteQuery } from '../quoteTypes.ts';
import { toCurve } from '../search/curve.ts';
import type { Order } from '../search/planTypes.ts';
import type { RecalledPools } from './foundPools.ts';
import { type Search, withKnown } from './marketMemory.ts';
import { decodeTrial, prepareTrial } from './tryRoutes.ts';

/** EIP-1559 changes the base fee by at most an eighth per block. The search estimates gas less precisely than that. */
const maxFeeChange = 8n;

/** The states of a market at one block, and executions at the same block. */
export interface MarketRead {
  read: EarlierRead;
  /** The pools come from an earlier look-up, so newer ones may be missing. */
  isKnown: boolean;
  /** Pools and gaps of earlier searches, as of the request for the states. They do not contain pools that were found later. */
  recalled: RecalledPools;
  /** Executions of predicted plans. */
  done: readonly PlanExecution[];
  /** The search that predicted them. */
  predicted?: Search | undefined;
}

/** Calls for a request that the caller sends, and the decoder of their answers. */
export interface PreparedMarket {
  /** The states come last: their block is the one that the attempt is pinned to. */
  requests: readonly LensRequest[];
  /**
   * Decodes the answers, which are of the node's pinned block. An execution without an answer counts as not executed.
   * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
   */
  read(answers: readonly (Hex | undefined)[], node: Node): Promise<MarketRead>;
}

/**
 * Prepares a read of the states. If the plan can be predicted from earlier ones, the same request executes it. In a new
 * market, the call for the states executes a few routes.
 */
export async function prepareMarket(
  data: ChainData,
  query: QuoteQuery,
  node: Node,
  at: Hex | 'latest',
): Promise<PreparedMarket> {
  const { tokenIn, tokenOut } = query;
  const recalled = data.found.recall(query);
  const { known } = recalled;
  const unsized = { tokenIn, tokenOut, feeds: feedsOf(query, data.deployment), known };
  const earlier = withKnown(data.markets.get(query), known);
  const order = earlier && toOrder(earlier.states, sizeOrder(query, earlier.states, data.deployment));
  if (!earlier || !order || !fundingOf(data.funding, tokenIn)) {
    const tried = earlier?.locations ? undefined : await prepareTrial(data, query, node);
    const states = prepareStates(data.states, { ...unsized, trial: tried?.trial }, at, earlier, tried);
    return {
      requests: [states.request],
      async read(answers, node) {
        const { read, tried: routes, isRecalled } = await states.read(answers.at(-1) ?? '0x', node);
        const done = tried && routes ? decodeTrial(data, query, tried.trial, routes) : [];
        return { read, isKnown: isRecalled, recalled, done };
      },
    };
  }
  const predicted = searchUnlessSame(data, earlier.states, order, earlier.search);
  const requests = predictRequests(data, earlier.states, order, predicted.result, earlier.search);
  const executions = await prepareExecutions(data, order.tokenIn, requests, at, node);
  const worth = worthIn(data, earlier.states, order);
  const states = prepareStates(data.states, { ...unsized, worth }, at, earlier);
  return {
    requests: [...executions.requests, states.request],
    async read(answers, node) {
      const { read, isRecalled } = await states.read(answers.at(-1) ?? '0x', node);
      return { read, isKnown: isRecalled, recalled, done: executions.read(answers, read.states), predicted };
    },
  };
}

/** Searches the states, and prepares the executions that the plan needs beside those of `market`. */
export async function prepareProof(
  data: ChainData,
  query: QuoteQuery,
  market: MarketRead,
  node: Node,
): Promise<Omit<PreparedMarket, 'read'> & { read(answers: readonly (Hex | undefined)[]): MarketRead }> {
  const { states } = market.read;
  const order = toOrder(states, sizeOrder(query, states, data.deployment));
  if (!order || !fundingOf(data.funding, order.tokenIn)) return { requests: [], read: () => market };
  const predicted = searchUnlessSame(data, states, order, market.predicted);
  const { result } = predicted;
  const missing = missingRequests(result, order.amountIn, states.pools, market.done);
  if (missing.length === 0) return { requests: [], read: () => ({ ...market, predicted }) };
  const block = numberToHex(states.block.number);
  const { requests, read } = await prepareExecutions(data, order.tokenIn, missing, block, node);
  return { requests, read: (answers) => ({ ...market, predicted, done: [...market.done, ...read(answers, states)] }) };
}

async function prepareExecutions(
  data: ChainData,
  tokenIn: LowerAddress,
  plans: readonly PlanRequest[],
  at: Hex | 'latest',
  node: Node,
) {
  const prepared = plans.length > 0 ? await toExecutionRequests(data, tokenIn, plans, at, node) : [];
  return {
    requests: prepared.map(({ request }) => request),
    /** Executions at the block of the states, over pools that the states contain. */
    read(answers: readonly (Hex | undefined)[], { block, pools }: StateReading): PlanExecution[] {
      const readings = prepared
        .flatMap((request, index) => {
          const words = answers[index];
          return words === undefined ? [] : decodeExecutionReply(data, tokenIn, request, words);
        })
        .filter((other) => other.funded && other.blockNumber === block.number && other.parentHash === block.parentHash);
      const found = new Set(pools.map(({ ref }) => ref.id));
      // An answer must not depend on earlier reads, so drop plans over pools that only these found.
      return unlessRefused(readings).filter(({ plan }) => plan.legs.every(({ pool }) => found.has(pool.id)));
    },
  };
}

/**
 * The order's value in base units of each listed token. Rounded down, so that orders of similar size encode the same
 * request. Pools of unlisted tokens are excluded: at their prices, the value could exceed the liquidity of
 * all honest pools.
 */
export function worthIn(data: ChainData, { pools }: StateReading, order: Order): Map<LowerAddress, bigint> {
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
export function toOrder({ tokens: [sold, bought] }: StateReading, { amountIn }: OrderSize): Order | undefined {
  if (!sold || !bought || amountIn === 0n) return undefined;
  if (sold.supply > 0n && amountIn > sold.supply) return undefined;
  return { tokenIn: sold.address, tokenOut: bought.address, amountIn };
}

/** Searches the states. Returns `last` if order and pools are the same and the base fee differs by at most an eighth. */
export function searchUnlessSame(data: ChainData, states: StateReading, order: Order, last?: Search): Search {
  if (last?.states.pools === states.pools && last.order.amountIn === order.amountIn) {
    const [before, after] = [last.states.block.baseFee, states.block.baseFee];
    const change = before < after ? after - before : before - after;
    if (change * maxFeeChange <= before) return last;
  }
  return { states, order, result: searchFor(data, states, order) };
}

/**
 * Value of the order in each token, in base units: its output through one pool, directly or over one other token. Never
 * more than a pool pays, so a pool that holds a 512th of it can be left unread. Omits tokens that no pool pays.
 */
export function worthOf(
  { tokenIn, amountIn }: { tokenIn: LowerAddress; amountIn: bigint },
  tokens: readonly LowerAddress[],
  pools: readonly Pool[],
): Map<LowerAddress, bigint> {
  const others = tokens.filter((token) => token !== tokenIn);
  const direct = new Map<LowerAddress, number>([[tokenIn, Number(amountIn)]]);
  for (const token of others) direct.set(token, maxPaid(tokenIn, token, Number(amountIn), pools));
  const worth = new Map(direct);
  for (const [middle, amount] of direct) {
    if (middle === tokenIn || amount < 1) continue;
    for (const token of others) {
      const paid = maxPaid(middle, token, amount, pools);
      if (paid > (worth.get(token) ?? 0)) worth.set(token, paid);
    }
  }
  const fetched = others.flatMap((token): [LowerAddress, bigint][] => {
    const amount = worth.get(token) ?? 0;
    return amount >= 1 ? [[token, BigInt(Math.floor(amount))]] : [];
  });
  return new Map([[tokenIn, amountIn], ...fetched]);
}

/** The largest output of one pool, for the part of the amount that it takes. */
function maxPaid(from: LowerAddress, to: LowerAddress, amount: number, pools: readonly Pool[]): number {
  let most = 0;
  for (const { ref, state } of pools) {
    const zeroForOne = ref.token0 === from && ref.token1 === to;
    if (!zeroForOne && !(ref.token0 === to && ref.token1 === from)) continue;
    const paid = toCurve(state, zeroForOne)?.reach(amount) ?? 0;
    if (paid > most && Number.isFinite(paid)) most = paid;
  }
  return most;
}
