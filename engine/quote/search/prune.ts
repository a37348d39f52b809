import type { Flow } from './flow.ts';
import { estimateGas } from './gas.ts';
import type { Edge } from './network.ts';
import { improve } from './split.ts';

/** Minimum gain of a leg after gas, as a part of the order's output. */
const leastGain = 3e-6;
const maxLegs = 16;
const maxTries = 6;
/**
 * Number of successful removals to compare before one is chosen: the second number if each costs more than this part of the
 * order, because near the pools' capacity their surplus ranks them badly.
 */
const [maxRests, maxDearRests, dearRemoval] = [4, 8, 5e-4];
/** More gas than a leg of any family takes without crossing ticks. */
const heavyLegGas = 400_000;
/** Gas limit of one execution by the lens. Dust in hundreds of positions takes more. */
const maxPlanGas = 2_500_000;

/**
 * Removes legs that cost more gas than they gain. A leg's surplus is its output beyond the value of its input. The order
 * loses at least the surplus without the leg, so only legs with less surplus than cost are tried.
 */
export function prune(flow: Flow, amountIn: number, gasPrice: number): Flow {
  let best = withoutHeavy(flow, amountIn);
  // Try to remove all at once first: it usually works and takes one computation.
  const useless = groupsOf(best, gasPrice).filter(({ net }) => net < 0);
  if (useless.length > 0) best = without(best, useless, amountIn, gasPrice) ?? best;
  best = withinLegs(withinGas(best, amountIn), amountIn, gasPrice);
  const kept = new Set<Edge>();
  for (let tries = 0; tries < maxTries; tries++) {
    const next = groupsOf(best, gasPrice).find(({ legs, net }) => net < 0 && !legs.some((leg) => kept.has(leg)));
    if (!next) break;
    const fewer = without(best, [next], amountIn, gasPrice);
    if (fewer) best = fewer;
    else for (const leg of next.legs) kept.add(leg);
  }
  return best;
}

/** Removes the least useful groups at once; undefined if that fails or too few legs were removed. */
function withoutExcess(flow: Flow, amountIn: number, gasPrice = 0): Flow | undefined {
  const groups = groupsOf(flow, gasPrice).slice(0, flow.used.length - maxLegs);
  const rest = without(flow, groups, amountIn, Number.POSITIVE_INFINITY);
  return rest && rest.used.length <= maxLegs ? rest : undefined;
}

/** Limits the legs to `maxLegs`: removes the least useful groups at once or one by one, whichever pays more. */
function withinLegs(flow: Flow, amountIn: number, gasPrice: number): Flow {
  if (flow.used.length <= maxLegs) return flow;
  const atOnce = withoutExcess(flow, amountIn, gasPrice);
  let rest = flow;
  while (rest.used.length > maxLegs) {
    const fewer = withoutLeast(rest, amountIn, gasPrice);
    if (!fewer) break;
    rest = fewer;
  }
  return atOnce && (rest.used.length > maxLegs || atOnce.amountOut > rest.amountOut) ? atOnce : rest;
}

/** The best flow without one group. Some removals fail, because other pools are near their capacity. */
const withoutLeast = (flow: Flow, amountIn: number, gasPrice: number): Flow | undefined =>
  restsOf(flow, groupsOf(flow, gasPrice), amountIn).sort((a, b) => b.amountOut - a.amountOut)[0];

/** The flows without one of the first groups that can be removed. */
function restsOf(flow: Flow, groups: readonly Group[], amountIn: number): Flow[] {
  const rests: Flow[] = [];
  for (const group of groups) {
    const rest = without(flow, [group], amountIn, Number.POSITIVE_INFINITY);
    if (rest) rests.push(rest);
    const isCheap = rests.some(({ amountOut }) => amountOut > flow.amountOut * (1 - dearRemoval));
    if (rests.length >= (isCheap ? maxRests : maxDearRests)) break;
  }
  return rests;
}

/** Removes legs that cross many ticks, most gas first, until the plan fits in the gas of one execution: dust pools. */
function withoutHeavy(flow: Flow, amountIn: number): Flow {
  let best = flow;
  const heavy = flow.used.filter((edge) => gasOf([edge], flow) > heavyLegGas);
  for (const edge of heavy.sort((a, b) => gasOf([b], flow) - gasOf([a], flow))) {
    if (gasOf(best.used, best) <= maxPlanGas) break;
    const legs = withDependents([edge], best.used);
    const rest = legs.length < best.used.length ? remove(best, legs, amountIn) : undefined;
    if (rest && rest.amountOut > 0) best = rest;
  }
  return best;
}

/** Limits the gas to that of one execution: removes groups that gain little for their gas, if the others can take their parts. */
function withinGas(flow: Flow, amountIn: number): Flow {
  let best = flow;
  for (let gas = gasOf(flow.used, flow); gas > maxPlanGas; gas = gasOf(best.used, best)) {
    const current = best;
    const gainPerGas = ({ legs, net }: Group) => net / gasOf(legs, current);
    const groups = groupsOf(current, 0).sort((a, b) => gainPerGas(a) - gainPerGas(b));
    const lossPerGas = (rest: Flow) => {
      const removed = current.used.filter(({ index }) => rest.sold[index] === 0);
      return (current.amountOut - rest.amountOut) / gasOf(removed, current);
    };
    const [rest] = restsOf(current, groups, amountIn).sort((a, b) => lossPerGas(a) - lossPerGas(b));
    if (!rest) break;
    best = rest;
  }
  return best;
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
  return used
    .map((edge) => {
      const legs = withDependents([edge], used);
      return { legs, net: surplusOf(legs, flow) - costOf(legs, flow, gasPrice) };
    })
    .filter(({ legs }) => legs.length < used.length)
    .sort((a, b) => a.net - b.net);
}

/** The order without these legs, unless it loses more than they cost. An infinite gas price removes them at any loss. */
function without(flow: Flow, groups: readonly Group[], amountIn: number, gasPrice: number): Flow | undefined {
  // Groups removed together may leave a token that only they sold.
  const legs = withDependents(
    groups.flatMap((group) => group.legs),
    flow.used,
  );
  const rest = remove(flow, legs, amountIn);
  const isWorthIt = rest && flow.amountOut - rest.amountOut <= costOf(legs, flow, gasPrice);
  return isWorthIt && rest.amountOut > 0 ? rest : undefined;
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

function remove(flow: Flow, group: readonly Edge[], amountIn: number): Flow | undefined {
  const next = flow.copy();
  for (const { index } of group) next.share[index] = 0;
  for (const edges of next.graph.from) {
    const kept = edges.reduce((sum, { index }) => sum + (next.share[index] as number), 0);
    if (kept > 0) for (const { index } of edges) next.share[index] = (next.share[index] as number) / kept;
  }
  // Removed legs must stay removed.
  const closed = new Set(flow.graph.edges.filter((edge) => next.share[edge.index] === 0).map(({ index }) => index));
  return next.forward(amountIn, flow, closed) ? improve(next, amountIn, 40, closed) : undefined;
}
