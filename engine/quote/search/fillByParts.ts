import { Flow, type Graph, visitWork } from './flow.ts';
import type { Edge } from './network.ts';

/** The route of the next amount: the edges from a token to tokenOut, and the amount that each sells. */
interface Step {
  gain: number;
  /** Number of edges; the arrays may be longer. */
  hops: number;
  edges: Edge[];
  sold: number[];
}

/** One step for each layer of tokens, reused to avoid allocations: a search adds some two hundred parts. */
type Steps = readonly [Step, Step, Step];

const newStep = (): Step => ({ gain: 0, hops: 0, edges: [], sold: [] });
const newSteps = (): Steps => [newStep(), newStep(), newStep()];

/** Finds the route on which `amount` more of a token returns the most, on top of the current flow. */
function findStep(flow: Flow, token: number, amount: number, steps: Steps, layer: 0 | 1 | 2): Step {
  const { from, last, work } = flow.graph;
  const { sold, paid } = flow;
  const edges = from[token] as readonly Edge[];
  const step = steps[layer];
  work.left -= edges.length * visitWork;
  step.gain = 0;
  step.hops = 0;
  let at = 0;
  while (at < edges.length) {
    // Edges to the same token are adjacent.
    const { to } = edges[at] as Edge;
    let best: Edge | undefined;
    let gain = 0;
    for (let edge = edges[at]; edge?.to === to; edge = edges[++at]) {
      if (edge.firstPrice * amount <= gain) continue;
      work.left--;
      const more = edge.curve.pay((sold[edge.index] as number) + amount) - (paid[edge.index] as number);
      if (!(more > gain)) continue;
      gain = more;
      best = edge;
    }
    if (!best) continue;
    if (to === last) {
      if (gain > step.gain) take(step, best, gain, amount);
      continue;
    }
    if (layer === 2) continue;
    const next = findStep(flow, to, gain, steps, layer === 0 ? 1 : 2);
    if (next.gain > step.gain) take(step, best, next.gain, amount, next);
  }
  return step;
}

function take(step: Step, edge: Edge, gain: number, amount: number, next?: Step): void {
  step.gain = gain;
  step.hops = 1;
  step.edges[0] = edge;
  step.sold[0] = amount;
  if (!next) return;
  for (let at = 0; at < next.hops; at++) {
    step.edges[at + 1] = next.edges[at] as Edge;
    step.sold[at + 1] = next.sold[at] as number;
  }
  step.hops += next.hops;
}

/** Adds `amount` along the best route; false if no route takes it. */
function addPart(flow: Flow, amount: number, steps: Steps): boolean {
  const { gain, hops, edges, sold } = findStep(flow, 0, amount, steps, 0);
  if (!(gain > 0)) return false;
  for (let at = 0; at < hops; at++) {
    const { index, curve } = edges[at] as Edge;
    const total = (flow.sold[index] as number) + (sold[at] as number);
    flow.sold[index] = total;
    flow.paid[index] = curve.pay(total);
  }
  flow.amountOut += gain;
  return true;
}

/** Number of equal parts in which an order is assigned; fewer if they would take more than `fillWork`. */
const [partCount, leastParts, fillWork] = [24, 6, 4_000];
/** If no route takes a part, it is halved, at most down to this fraction of the first one. */
const smallestFraction = 1 / 64;

/** Splits `amountIn` by marginal price: assigns equal parts, each to the route that pays most for it. */
export function fillByParts(graph: Graph, amountIn: number): Flow | undefined {
  const { work } = graph;
  const flow = new Flow(graph);
  const steps = newSteps();
  const before = work.left;
  let part = amountIn / partCount;
  let left = addPart(flow, part, steps) ? amountIn - part : amountIn;
  const affordable = Math.floor(fillWork / Math.max(1, before - work.left));
  if (affordable < partCount) part = left / (Math.max(leastParts, affordable) - 1);
  const smallest = part * smallestFraction;
  while (left > amountIn * 1e-12) {
    if (work.left <= 0) return undefined;
    const amount = Math.min(part, left);
    if (addPart(flow, amount, steps)) left -= amount;
    else if (part > smallest) part /= 2;
    else return undefined;
  }
  flow.normalise();
  return flow.forward(amountIn) ? flow : undefined;
}

/**
 * A split of `amountIn`, grown to `grown` by marginal price; undefined if no route takes that much. The shares are not
 * updated until `normalise`.
 */
export function continueTo(flow: Flow, amountIn: number, grown: number): Flow | undefined {
  const next = flow.copy();
  const steps = newSteps();
  const part = (grown - amountIn) / 4;
  for (let count = 0; count < 4; count++) if (!addPart(next, part, steps)) return undefined;
  return next;
}
