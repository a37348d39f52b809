import { type Flow, improve } from './divide.ts';
import { estimateGas } from './gas.ts';
import type { Edge } from './network.ts';

/** A leg must bring this part of the order more than the others would, beside its gas. */
const leastGain = 3e-6;
const mostLegs = 16;
const mostTries = 12;

/**
 * Takes legs out whose gas costs more than they bring. A leg's surplus, what it pays beyond the value of its input, is the
 * least that the order loses without it; so only legs with less surplus than cost are tried.
 */
export function prune(flow: Flow, amountIn: number, gasPrice: number): Flow {
  let best = flow;
  const kept = new Set<number>();
  for (let tries = 0; tries < mostTries; tries++) {
    const tooMany = best.used.length > mostLegs;
    const group = cheapestGroup(best, gasPrice, tooMany ? new Set() : kept);
    if (!group) break;
    const cost = costOf(group, best, gasPrice);
    if (!tooMany && surplusOf(group, best) > cost) break;
    const without = remove(best, group, amountIn);
    if (without && (tooMany || best.amountOut - without.amountOut <= cost)) best = without;
    else if (tooMany) break;
    else for (const { index } of group) kept.add(index);
  }
  return best;
}

const costOf = (group: readonly Edge[], flow: Flow, gasPrice: number) =>
  group.reduce((sum, { pool }) => sum + estimateGas(pool.state.kind) * gasPrice + flow.amountOut * leastGain, 0);

function surplusOf(group: readonly Edge[], { sold, paid, value }: Flow): number {
  return group.reduce(
    (sum, { index, from, to }) =>
      sum + (paid[index] as number) * (value[to] as number) - (sold[index] as number) * (value[from] as number),
    0,
  );
}

/** The legs that can only go together and have the least surplus beyond their cost. */
function cheapestGroup(flow: Flow, gasPrice: number, kept: ReadonlySet<number>): Edge[] | undefined {
  flow.setValues();
  const used = flow.used;
  let best: Edge[] | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const edge of used) {
    if (kept.has(edge.index)) continue;
    const group = withDependents(edge, used, flow.graph.last);
    if (group.length === used.length) continue;
    const net = surplusOf(group, flow) - costOf(group, flow, gasPrice);
    if (net < least) [best, least] = [group, net];
  }
  return best;
}

/** A leg, with the legs that nothing would reach, and those whose proceeds nothing would sell, without it. */
function withDependents(first: Edge, used: readonly Edge[], last: number): Edge[] {
  const group = new Set([first]);
  for (const edge of group) {
    const rest = used.filter((other) => !group.has(other));
    if (edge.to !== last && !rest.some(({ to }) => to === edge.to)) {
      for (const next of rest) if (next.from === edge.to) group.add(next);
    }
    if (edge.from !== 0 && !rest.some(({ from }) => from === edge.from)) {
      for (const previous of rest) if (previous.to === edge.from) group.add(previous);
    }
  }
  return [...group];
}

function remove(flow: Flow, group: readonly Edge[], amountIn: number): Flow | undefined {
  const next = flow.copy();
  for (const { index } of group) next.share[index] = 0;
  for (const edges of next.graph.from) {
    const sum = edges.reduce((total, { index }) => total + (next.share[index] as number), 0);
    if (sum > 0) for (const { index } of edges) next.share[index] = (next.share[index] as number) / sum;
  }
  if (!next.forward(amountIn)) return undefined;
  return improve(next, amountIn, 24, new Set(group.map(({ index }) => index)));
}
