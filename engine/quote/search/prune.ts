import type { Pool } from '../../venues/poolTypes.ts';
import { estimateGas, maxPlanGas } from './fillPlan.ts';
import type { Flow } from './flow.ts';
import type { Edge } from './network.ts';
import { improve } from './split.ts';

/** Minimum gain of a leg after gas, as a part of the order's output. */
const leastGain = 3e-6;
const maxTries = 6;
/** Removals to compare beyond those that are made. */
const maxCompared = 7;
/** Moves of shares after a removal, and after the last one. */
const [movesAfterRemoval, movesAtEnd] = [8, 40];
/** More gas than a leg of any family takes without crossing ticks. */
const heavyLegGas = 400_000;
/** The most gas of all such legs together: dust in hundreds of positions must not fill a plan. */
const maxHeavyGas = 2_500_000;

/**
 * Removes legs that cost more gas than they gain. A leg's surplus is its output beyond the value of its input. The order
 * loses at least the surplus without the leg, so only legs with less surplus than cost are tried.
 */
export function prune(flow: Flow, amountIn: number, gasPrice: number): Flow {
  let best = withoutHeavy(flow, amountIn);
  // Try to remove all at once first: it usually works and takes one computation.
  const useless = groupsOf(best, gasPrice).filter(({ net }) => net < 0);
  if (useless.length > 0) best = without(best, useless, amountIn, gasPrice) ?? best;
  best = withinLimits(best, amountIn);
  const kept = new Set<Pool>();
  for (let tries = 0; tries < maxTries; tries++) {
    const next = groupsOf(best, gasPrice).find(({ legs, net }) => net < 0 && !legs.some(({ pool }) => kept.has(pool)));
    if (!next) break;
    const fewer = without(best, [next], amountIn, gasPrice);
    if (fewer) best = fewer;
    else for (const { pool } of next.legs) kept.add(pool);
  }
  return best;
}

/** Removes legs that cross many ticks, most gas first, until the others take at most `maxHeavyGas`. */
function withoutHeavy(flow: Flow, amountIn: number): Flow {
  let best = flow;
  const heavyIn = (some: Flow) => some.used.filter((edge) => gasOf([edge], some) > heavyLegGas);
  for (const { pool } of heavyIn(flow).sort((a, b) => gasOf([b], flow) - gasOf([a], flow))) {
    if (gasOf(heavyIn(best), best) <= maxHeavyGas) break;
    const edge = best.used.find((other) => other.pool === pool);
    const rest = edge && remove(best, withDependents([edge], best.used), amountIn, movesAtEnd);
    if (rest) best = rest;
  }
  return best;
}

/** Removes groups until the gas fits in one transaction: half of the excess at once, or all of it without work left. */
function withinLimits(flow: Flow, amountIn: number): Flow {
  let best = flow;
  for (;;) {
    const { used, graph } = best;
    const gas = gasOf(used, best);
    const excess = Math.ceil(used.length * (1 - maxPlanGas / gas));
    if (excess <= 0) break;
    const isLast = graph.work.left <= 0;
    const rest = withoutLeast(best, amountIn, isLast ? excess : Math.ceil(excess / 2));
    if (!rest) break;
    best = rest;
    if (isLast) break;
  }
  return best === flow ? flow : improve(best, amountIn, movesAtEnd);
}

/**
 * The flow without those groups whose removal costs least for each unit of gas. Removals are compared by their outputs,
 * because near the pools' capacity surplus ranks them badly. Shares are divided again only after the choice.
 */
function withoutLeast(flow: Flow, amountIn: number, count: number): Flow | undefined {
  const groups = groupsOf(flow, 0);
  const gainPerGas = ({ legs, net }: Group) => net / gasOf(legs, flow);
  groups.sort((a, b) => gainPerGas(a) - gainPerGas(b));
  const removals: { legs: Edge[]; rest: Flow; loss: number }[] = [];
  for (const { legs } of groups) {
    const rest = remove(flow, legs, amountIn, 0);
    if (rest) removals.push({ legs, rest, loss: (flow.amountOut - rest.amountOut) / gasOf(legs, flow) });
    if (removals.length === count + maxCompared) break;
  }
  const [first] = removals.sort((a, b) => a.loss - b.loss);
  if (!first) return undefined;
  const several = withDependents(
    removals.slice(0, count).flatMap(({ legs }) => legs),
    flow.used,
  );
  const rest = (count > 1 ? remove(flow, several, amountIn, 0) : undefined) ?? first.rest;
  return improve(rest.compact(), amountIn, movesAfterRemoval);
}

/** Legs that can only be removed together. */
interface Group {
  legs: Edge[];
  /** Their surplus less the cost of their gas. */
  net: number;
}

function groupsOf(flow: Flow, gasPrice: number): Group[] {
  flow.setValues();
  const { used } = flow;
  const { buyers, sellers } = countLegs(flow, used);
  const groups: Group[] = [];
  for (const edge of used) {
    const isAlone = (buyers[edge.to] as number) > 1 && (sellers[edge.from] as number) > 1;
    const legs = isAlone ? [edge] : withDependents([edge], used);
    if (legs.length === used.length) continue;
    groups.push({ legs, net: surplusOf(legs, flow) - costOf(legs, flow, gasPrice) });
  }
  return groups.sort((a, b) => a.net - b.net);
}

/** The numbers of legs that buy each token and that sell it. */
function countLegs({ graph }: Flow, used: readonly Edge[]) {
  const buyers = graph.order.map(() => 0);
  const sellers = graph.order.map(() => 0);
  for (const { from, to } of used) {
    buyers[to] = (buyers[to] as number) + 1;
    sellers[from] = (sellers[from] as number) + 1;
  }
  return { buyers, sellers };
}

/** The order without these legs, unless it loses more than they cost. */
function without(flow: Flow, groups: readonly Group[], amountIn: number, gasPrice: number): Flow | undefined {
  // Groups removed together may leave a token that only they sold.
  const legs = withDependents(
    groups.flatMap((group) => group.legs),
    flow.used,
  );
  const rest = remove(flow, legs, amountIn, movesAtEnd);
  const isWorthIt = rest && flow.amountOut - rest.amountOut <= costOf(legs, flow, gasPrice);
  return isWorthIt ? rest : undefined;
}

const costOf = (group: readonly Edge[], flow: Flow, gasPrice: number) =>
  gasOf(group, flow) * gasPrice + group.length * flow.amountOut * leastGain;

const gasOf = (group: readonly Edge[], { sold }: Flow) =>
  group.reduce(
    (sum, { pool, curve, index }) => sum + estimateGas(pool.state.kind, curve.crossed(sold[index] as number)),
    0,
  );

function surplusOf(group: readonly Edge[], { sold, paid, value }: Flow): number {
  return group.reduce(
    (sum, { index, from, to }) =>
      sum + (paid[index] as number) * (value[to] as number) - (sold[index] as number) * (value[from] as number),
    0,
  );
}

/** Legs, and those that without them would have no input or no leg to sell their output. */
function withDependents(first: readonly Edge[], used: readonly Edge[]): Edge[] {
  const group = new Set(first);
  for (const edge of group) {
    const rest = used.filter((other) => !group.has(other));
    if (!rest.some(({ to }) => to === edge.to)) {
      for (const next of rest) if (next.from === edge.to) group.add(next);
    }
    if (!rest.some(({ from }) => from === edge.from)) {
      for (const previous of rest) if (previous.to === edge.from) group.add(previous);
    }
  }
  return [...group];
}

function remove(flow: Flow, group: readonly Edge[], amountIn: number, moves: number): Flow | undefined {
  const next = flow.copy();
  const closed = new Set(group.map(({ index }) => index));
  for (const index of closed) next.share[index] = 0;
  for (const edges of next.graph.from) {
    const kept = edges.reduce((sum, { index }) => sum + (next.share[index] as number), 0);
    if (kept > 0 && kept < 1) for (const { index } of edges) next.share[index] = (next.share[index] as number) / kept;
  }
  if (!next.forward(amountIn, flow, closed) || !(next.amountOut > 0)) return undefined;
  return moves > 0 ? improve(next.compact(), amountIn, moves) : next;
}
