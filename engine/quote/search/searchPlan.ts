import type { LowerAddress } from '../../lowerAddress.ts';
import { contractOf, sharesPool } from '../../pools/contractOf.ts';
import type { Pool } from '../../venues/poolTypes.ts';
import { type Depth, depthOf } from './depth.ts';
import { fillAcyclic, fillByParts } from './fillByParts.ts';
import { fillPlan, type States, statesOf } from './fillPlan.ts';
import { type Flow, flowAlong, toGraphs } from './flow.ts';
import { type Edge, findPaths, maxWork, type Network, toNetwork } from './network.ts';
import { opaqueRoutes } from './opaqueRoutes.ts';
import { excludesBetter, inOrder, wholeGraph } from './order.ts';
import type { FilledPlan, Order, Plan } from './planTypes.ts';
import { prune } from './prune.ts';
import { findSmallPath, smallAmount } from './smallAmounts.ts';
import { improve } from './split.ts';
import { flowToPlan, pathToPlan } from './toPlan.ts';
import { canBeWorthSplitting, isWorthSplitting } from './worthSplitting.ts';

export interface SearchQuery extends Order {
  pools: readonly Pool[];
  routingTokens: readonly LowerAddress[];
  /** Base units of tokenOut for one unit of gas; undefined without a price of the native coin. */
  gasPrice?: number | undefined;
}

export interface SearchResult {
  /** The single route that pays most. */
  single?: FilledPlan | undefined;
  /** The best single route that shares no pool with it. */
  runnerUp?: FilledPlan | undefined;
  /** The result: `single`, or a split if it pays enough more. */
  best?: FilledPlan | undefined;
  /** Largest input before the price falls 1 % below that of an order that pays `amountOut`; a lower bound. */
  depthBelow(amountOut: bigint): Depth;
  /** Routes over opaque pools that may pay more, for the node to execute. */
  opaque: Plan[];
  /** Parts of the order over single opaque pools: their executions give curves, with which the search may run again. */
  samples: Plan[];
  /** More ticks may change the result: a route that may pay more leaves the read ticks, or no route was found. */
  needsTicks: boolean;
}

/** Routes compared by `swap`, because doubles cannot order nearly equal outputs. */
const exactPaths = 4;
/** A route can pay at most this fraction more than doubles compute; integers round its output down by any amount. */
const pathError = 1e-6;
const maxMoves = 120;
/** Orders of tokens to try beyond the first one, and the least gain with which another one replaces it. */
const [maxOrders, leastOrderGain] = [4, 1e-6];
/** Part of the work that is left for the removal of legs. */
const pruneWork = maxWork / 3;
/** The depth starts no other search after as much work as this. */
const maxDepthWork = 18_000;
/** Sizes of the orders whose split is tried, as multiples of the order, and the least work for each further one. */
const [orderSizes, retryWork] = [[1, 1.002, 1.01], maxWork / 2] as const;

/** Finds the best route, the best split and its depth. Pure; the work is bounded for any input. */
export function searchPlan(query: SearchQuery): SearchResult {
  const { pools, tokenIn, tokenOut, amountIn } = query;
  if (amountIn <= 0n || tokenIn === tokenOut)
    return { depthBelow: () => ({ size: amountIn, isLowerBound: false }), opaque: [], samples: [], needsTicks: false };
  const states = statesOf(pools);
  const { network, flow, single, best } = findBest(query, states);
  const { plans: opaque, leavesTicks, samples } = opaqueRoutes(query, network, best?.amountOut ?? 0n);
  const needsTicks = leavesTicks || (!best && network.edges.some(({ pool }) => pool.state.kind === 'concentrated'));
  const depths = new Map<bigint, Depth>();
  const depthBelow = (amountOut: bigint) => {
    let work = 0;
    const paidFor = (larger: bigint) => {
      const found = findBest({ ...query, amountIn: larger }, states);
      work += maxWork - found.network.work.left;
      return found.best?.amountOut;
    };
    const maySearch = () => work < maxDepthWork;
    const depth = depths.get(amountOut) ?? depthOf({ amountIn, amountOut, flow, paidFor, maySearch });
    depths.set(amountOut, depth);
    return depth;
  };
  const runnerUp = single && bestPath(query, network, states, new Set(single.legs.map(({ pool }) => contractOf(pool))));
  return { single, runnerUp, best, depthBelow, opaque, samples, needsTicks };
}

interface BestPlans extends Pick<SearchResult, 'single' | 'best'> {
  network: Network;
  /** The order's split before legs are removed; undefined if no split takes the order. */
  flow: Flow | undefined;
}

/** The best single route, and the best plan: this route, or a split that pays enough more. */
function findBest(query: SearchQuery, states: States): BestPlans {
  const { pools, tokenIn, tokenOut, amountIn, routingTokens, gasPrice } = query;
  const amount = Number(amountIn);
  const network = toNetwork(pools, tokenIn, tokenOut, routingTokens, amount);
  const single = bestPath(query, network, states, new Set());
  const flow = splitOrder(network, amount);
  const mayGain = flow && canBeWorthSplitting(flow.amountOut, single, gasPrice);
  const split = mayGain ? fillSplit(query, network, flow, states) : undefined;
  const isBest = split && isWorthSplitting(split, single, gasPrice);
  return { network, flow, single, best: isBest ? split : single };
}

function bestPath(
  query: SearchQuery,
  network: Network,
  states: States,
  excluded: ReadonlySet<string>,
): FilledPlan | undefined {
  const paths = findPaths(network, Number(query.amountIn), excluded);
  const isSmall = query.amountIn < smallAmount || (paths[0]?.amountOut ?? 0) < smallAmount;
  const small = isSmall ? findSmallPath(network, query.amountIn, excluded) : undefined;
  let best = small && fillPlan(pathToPlan(small, network, query), states)?.filled;
  let filled = 0;
  for (const path of paths) {
    if (best && path.amountOut < Number(best.amountOut) * (1 - pathError)) break;
    const exact = fillPlan(pathToPlan(path, network, query), states)?.filled;
    if (!exact) continue;
    if (!best || exact.amountOut > best.amountOut || (exact.amountOut === best.amountOut && exact.gas < best.gas)) {
      best = exact;
    }
    if (++filled === exactPaths) break;
  }
  return best;
}

/** Pairs of one pool are not independent, so a split keeps only the pair that sells most. */
function splitOrder(network: Network, amount: number): Flow | undefined {
  const flow = splitOver(network, amount);
  const dropped = flow && sharedPools(flow);
  if (!dropped || dropped.size === 0) return flow;
  return network.work.left > 0 ? splitOrder(withoutPools(network, dropped), amount) : undefined;
}

function splitOver(network: Network, amount: number): Flow | undefined {
  // A route of three hops may pay well for a part of the order only, so search with a part.
  const graphs = toGraphs(network, findPaths(network, amount / 16, new Set(), 3));
  const starts = graphs.flatMap((graph) => fillByParts(graph, amount) ?? []);
  const [start = alongOnePath(network, amount)] = starts.sort((a, b) => b.amountOut - a.amountOut);
  return start && inBestOrder(network, improve(start, amount, maxMoves, pruneWork), amount);
}

/**
 * The split over the order of tokens that it needs. Two layers of tokens suffice unless a leg that they exclude would return more.
 * Then the order is filled anew over all legs, and later its legs get a better order.
 */
function inBestOrder(network: Network, flow: Flow, amount: number): Flow {
  let best = flow;
  for (let count = 0; count < maxOrders && network.work.left > pruneWork; count++) {
    if (!excludesBetter(network, best)) break;
    const filled = count === 0 ? fillAcyclic(wholeGraph(network), amount) : best;
    const other = filled && inOrder(network, filled);
    const next = other?.forward(amount) ? improve(other, amount, maxMoves, pruneWork) : undefined;
    if (next && next.amountOut > best.amountOut * (1 + leastOrderGain)) best = next;
    else if (count > 0) break;
  }
  return best;
}

/** The whole order along its best route: other pools near their capacity can prevent a split by parts. */
function alongOnePath(network: Network, amount: number): Flow | undefined {
  const [path] = findPaths(network, amount, new Set());
  const [graph] = path ? toGraphs(network, path.edges.length === 3 ? [path] : []) : [];
  return path && graph && flowAlong(path, graph, amount);
}

/**
 * The exact fill of the split, without legs that cost more gas than they gain. If a pool near its capacity rejects the rounded
 * shares, the shares are those of a slightly larger order, which leave room in every pool.
 */
function fillSplit(query: SearchQuery, network: Network, flow: Flow, states: States): FilledPlan | undefined {
  const amount = Number(query.amountIn);
  for (const size of orderSizes) {
    const larger = amount * size;
    if (size > 1) network.work.left = Math.max(network.work.left, retryWork);
    const split = size === 1 ? flow : splitOrder(network, larger);
    const pruned = split && prune(split, larger, query.gasPrice ?? 0);
    if (!pruned || pruned.used.length < 2 || !pruned.forward(amount)) return undefined;
    const filled = fillPlan(flowToPlan(pruned, query), states)?.filled;
    if (filled) return filled;
  }
  return undefined;
}

/** Ids of the used pairs of shared pools, except for each pool's pair that sells the most by value. */
export function sharedPools(flow: Flow): Set<string> {
  const { used, sold, value } = flow;
  if (!sharesPool(used.map(({ pool }) => pool.ref))) return new Set();
  flow.setValues();
  const worthOf = ({ index, from }: Edge) => (sold[index] as number) * (value[from] as number);
  const largest = new Map<string, Edge>();
  for (const edge of used) {
    const contract = contractOf(edge.pool.ref);
    const kept = largest.get(contract);
    if (!kept || worthOf(edge) > worthOf(kept)) largest.set(contract, edge);
  }
  const isKept = ({ pool }: Edge) => largest.get(contractOf(pool.ref))?.pool.ref.id === pool.ref.id;
  return new Set(used.filter((edge) => !isKept(edge)).map(({ pool }) => pool.ref.id));
}

export function withoutPools(network: Network, ids: ReadonlySet<string>): Network {
  const { edges, between } = network;
  const isKept = ({ pool }: Edge) => !ids.has(pool.ref.id);
  return {
    ...network,
    edges: edges.filter(isKept),
    between: between.map((row) => row.map((pair) => pair.filter(isKept))),
  };
}
