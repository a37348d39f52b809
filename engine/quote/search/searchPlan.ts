import type { LowerAddress } from '../../lowerAddress.ts';
import { contractOf } from '../../pools/contractOf.ts';
import type { Pool } from '../../venues/poolTypes.ts';
import { depthOf } from './depth.ts';
import { fillByParts } from './fillByParts.ts';
import { fillPlan, type States, statesOf } from './fillPlan.ts';
import { type Flow, toGraphs } from './flow.ts';
import { findPaths, type Network, toNetwork } from './network.ts';
import { opaqueRoutes } from './opaqueRoutes.ts';
import type { FilledPlan, Plan } from './planTypes.ts';
import { prune } from './prune.ts';
import { sharedPools, withoutPools } from './sharedPools.ts';
import { findSmallPath, smallAmount } from './smallAmounts.ts';
import { improve } from './split.ts';
import { flowToPlan, pathToPlan } from './toPlan.ts';
import { canBeWorthSplitting, isWorthSplitting } from './worthSplitting.ts';

export interface SearchQuery {
  pools: readonly Pool[];
  tokenIn: LowerAddress;
  tokenOut: LowerAddress;
  amountIn: bigint;
  routingTokens: readonly LowerAddress[];
  /** Base units of tokenOut for one unit of gas; undefined without a price of the native coin. */
  gasPrice?: number | undefined;
  /** Minimum gain of a split in basis points; see `isWorthSplitting`. */
  leastGainBps?: bigint | undefined;
}

export interface SearchResult {
  /** The single route that pays most. */
  single?: FilledPlan | undefined;
  /** The best single route that shares no pool with it. */
  runnerUp?: FilledPlan | undefined;
  /** The result: `single`, or a split if it pays enough more. */
  best?: FilledPlan | undefined;
  /** Output of `best` right after an identical order; undefined if it cannot be filled again. */
  secondAmountOut?: bigint | undefined;
  /** Largest input before the price falls 1 % below that of an order that pays `amountOut`; a lower bound. */
  depthBelow(amountOut: bigint): bigint;
  /** Routes over opaque pools that may pay more, for the node to execute. */
  opaque: Plan[];
  /** More ticks may change the result: a route that may pay more leaves the read ticks, or no route was found. */
  needsTicks: boolean;
}

/** Routes compared by `swap`, because doubles cannot order nearly equal outputs. */
const exactPaths = 4;
const maxMoves = 120;
/** Basis points that legs at their capacity leave to others. The next one is tried if a pool cannot take its part. */
const capacityMargins = [0, 20, 100];

/** Finds the best route, the best split, its depth and worst case. Pure; the work is bounded for any input. */
export function searchPlan(query: SearchQuery): SearchResult {
  const { pools, tokenIn, tokenOut, amountIn, routingTokens } = query;
  const amount = Number(amountIn);
  if (amountIn <= 0n || tokenIn === tokenOut) return { depthBelow: () => amountIn, opaque: [], needsTicks: false };
  const network = toNetwork(pools, tokenIn, tokenOut, routingTokens, amount);
  const states = statesOf(pools);
  const single = bestPath(query, network, states, new Set());
  const flow = splitOrder(network, amount);
  const mayGain = flow && canBeWorthSplitting(flow.amountOut, single, query.leastGainBps);
  const plan = mayGain ? prune(flow, amount, query.gasPrice ?? 0) : undefined;
  const split = plan && fillSplit(query, plan, states, single);
  const best = split ?? single;
  const { plans: opaque, leavesTicks } = opaqueRoutes(query, network, best?.amountOut ?? 0n);
  const needsTicks = leavesTicks || (!best && network.edges.some(({ pool }) => pool.state.kind === 'concentrated'));
  const answerOf = (filled: FilledPlan): FilledPlan => {
    const route = bestPath({ ...query, amountIn: filled.plan.amountIn }, network, states, new Set());
    return route && !isWorthSplitting(filled, route, query.gasPrice, query.leastGainBps) ? route : filled;
  };
  const depths = new Map<bigint, bigint>();
  const depthBelow = (amountOut: bigint) => {
    const depth = depths.get(amountOut) ?? depthOf({ ...query, answerOf }, amountOut, flow, states);
    depths.set(amountOut, depth);
    return depth;
  };
  if (!best) return { depthBelow, opaque, needsTicks };

  const runnerUp =
    single && bestPath(query, network, states, new Set(single?.legs.map(({ pool }) => contractOf(pool))));
  const first = fillPlan(best.plan, states);
  const second = first && fillPlan(best.plan, new Map([...states, ...first.after]));
  return {
    single,
    runnerUp,
    best,
    secondAmountOut: second && least(second.filled.amountOut, best.amountOut),
    depthBelow,
    opaque,
    needsTicks,
  };
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
  return dropped && dropped.size > 0 ? splitOrder(withoutPools(network, dropped), amount) : flow;
}

function splitOver(network: Network, amount: number): Flow | undefined {
  // A route of three hops may pay well for a part of the order only, so search with a part.
  const graphs = toGraphs(network, findPaths(network, amount / 16, new Set(), 3));
  const starts = graphs.flatMap((graph) => fillByParts(graph, amount) ?? []);
  const [start] = starts.sort((a, b) => b.amountOut - a.amountOut);
  return start && improve(start, amount, maxMoves);
}

/** The exact fill of the split, if it pays enough more than the best single route. */
function fillSplit(
  { tokenIn, tokenOut, amountIn, gasPrice, leastGainBps }: SearchQuery,
  flow: Flow,
  states: States,
  single: FilledPlan | undefined,
): FilledPlan | undefined {
  if (flow.used.length < 2) return undefined;
  let split: FilledPlan | undefined;
  for (const marginBps of capacityMargins) {
    split = fillPlan(flowToPlan(flow, { tokenIn, tokenOut, amountIn }, marginBps), states)?.filled;
    if (split) break;
  }
  return split && isWorthSplitting(split, single, gasPrice, leastGainBps) ? split : undefined;
}

const least = (a: bigint, b: bigint) => (a < b ? a : b);
