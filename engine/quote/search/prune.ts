import type { Flow } from './flow.ts';
import { estimateGas } from './gas.ts';
import type { Edge } from './network.ts';
import { improve } from './split.ts';

/** Minimum gain of a leg after gas, as a part of the order's output. */
const leastGain = 3e-6;
const maxLegs = 16;
const maxTries = 6;
/** Maximum number of successful removals to compare before one is chosen. */
const maxRests = 4;
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
  best = withinLegs(best, amountIn, gasPrice);
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

/** The order within the legs and the gas of one execution, if the other legs can take the parts of the removed ones. */
export function toExecutable(flow: Flow, amountIn: number): Flow {
  const light = withoutHeavy(flow, amountIn);
  return light.used.length <= maxLegs ? light : (withoutExcess(light, amountIn) ?? withinLegs(light, amountIn, 0));
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
  return atOnce && atOnce.amountOut > rest.amountOut ? atOnce : rest;
}

/** The best flow without one group. Some removals fail, because other pools are near their capacity. */
function withoutLeast(flow: Flow, amountIn: number, gasPrice: number): Flow | undefined {
  const rests: Flow[] = [];
  for (const group of groupsOf(flow, gasPrice)) {
    const fewer = without(flow, [group], amountIn, Number.POSITIVE_INFINITY);
    if (fewer) rests.push(fewer);
    if (rests.length === maxRests) break;
  }
  return rests.sort((a, b) => b.amountOut - a.amountOut)[0];
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
  group.reduce((sum, edge) => sum + gasOf(edge, flow) * gasPrice + flow.amountOut * leastGain, 0);

const gasOf = ({ pool, curve, index }: Edge, { sold }: Flow) =>
  estimateGas(pool.state.kind, curve.crossed(sold[index] as number));

/** Removes the legs that use most gas until the plan fits in the gas of one execution, if the others can take the order. */
function withoutHeavy(flow: Flow, amountIn: number): Flow {
  let best = flow;
  for (const edge of flow.used.sort((a, b) => gasOf(b, flow) - gasOf(a, flow))) {
    if (best.used.reduce((sum, used) => sum + gasOf(used, best), 0) <= maxPlanGas) break;
    const legs = withDependents([edge], best.used);
    const rest = legs.length < best.used.length ? remove(best, legs, amountIn) : undefined;
    if (rest && rest.amountOut > 0) best = rest;
  }
  return best;
}

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
  const next = withShares(flow, group, amountIn, scaleUp) ?? withShares(flow, group, amountIn, giveToLargest);
  if (!next) return undefined;
  // Removed legs must stay removed.
  const closed = next.graph.edges.filter(({ index }) => (flow.sold[index] as number) === 0).concat(group);
  return improve(next, amountIn, 40, new Set(closed.map(({ index }) => index)));
}

/** Assigns the freed share of one token to its remaining legs; false if none can take it. */
type Reassign = (legs: readonly Edge[], freed: number, flow: Flow) => boolean;

function withShares(flow: Flow, group: readonly Edge[], amountIn: number, reassign: Reassign): Flow | undefined {
  const next = flow.copy();
  for (const { index } of group) next.share[index] = 0;
  for (const edges of next.graph.from) {
    const legs = edges.filter(({ index }) => (next.share[index] as number) > 0);
    const kept = legs.reduce((sum, { index }) => sum + (next.share[index] as number), 0);
    if (legs.length > 0 && kept < 1 && !reassign(legs, 1 - kept, next)) return undefined;
  }
  return next.forward(amountIn) ? next : undefined;
}

const scaleUp: Reassign = (legs, freed, { share }) => {
  for (const { index } of legs) share[index] = (share[index] as number) / (1 - freed);
  return true;
};

/** For legs of which some are at their capacity: the largest one that can take the rest gets it. */
const giveToLargest: Reassign = (legs, freed, { share, total, sold }) => {
  const canTake = ({ index, from, curve }: Edge) =>
    curve.pay(((share[index] as number) + freed) * (total[from] as number)) > 0;
  const [largest] = legs.filter(canTake).sort((a, b) => (sold[b.index] as number) - (sold[a.index] as number));
  if (!largest) return false;
  share[largest.index] = (share[largest.index] as number) + freed;
  return true;
};
