import { Flow, type Graph, visitWork } from './flow.ts';
import type { Edge } from './network.ts';

const maxHops = 3;

/** For each number of hops and each token: the most of it that a part buys. Reused, because a search adds some two hundred. */
class Labels {
  readonly amount: Float64Array[];
  readonly edge: (Edge | undefined)[][];
  /** The tokens of the route to the label, one bit each. */
  readonly passed: Int32Array[];
  /** The most of each token over any number of hops. */
  readonly most: Float64Array;
  /** The route of the last step, and the amount that each of its edges sells. */
  route: { edge: Edge; sold: number }[] = [];

  constructor(tokens: number) {
    const hops = Array.from({ length: maxHops });
    this.amount = hops.map(() => new Float64Array(tokens));
    this.edge = hops.map(() => Array.from({ length: tokens }));
    this.passed = hops.map(() => new Int32Array(tokens));
    this.most = new Float64Array(tokens);
  }
}

/**
 * The tokens that the legs in use lead to from each token, one bit each. A route that led back from one of them would
 * close a cycle, and then no order of the legs is executable.
 */
type Reach = Int32Array;

const noReach = (tokens: number): Reach => Int32Array.from({ length: tokens }, (_, token) => 1 << token);

function connect(reach: Reach, { from, to }: Edge): void {
  for (let token = 0; token < reach.length; token++) {
    if ((reach[token] as number) & (1 << from)) reach[token] = (reach[token] as number) | (reach[to] as number);
  }
}

/**
 * Finds the route on which `amount` more of tokenIn returns the most, on top of the current flow, and returns that. More
 * input never returns less, so for each token and number of hops only the largest amount counts.
 * @param reach undefined if the graph has an order of tokens
 */
function findStep(flow: Flow, amount: number, labels: Labels, reach: Reach | undefined): number {
  const { from: edgesFrom, last, work } = flow.graph;
  const { sold, paid } = flow;
  const { most } = labels;
  most.fill(0);
  (labels.amount[0] as Float64Array)[0] = amount;
  (labels.passed[0] as Int32Array)[0] = 1;
  let gain = 0;
  let end: { hop: number; edge: Edge } | undefined;
  let active = [0];
  for (let hop = 0; hop < maxHops; hop++) {
    const [amounts, passed] = [labels.amount[hop] as Float64Array, labels.passed[hop] as Int32Array];
    const next: number[] = [];
    for (const token of active) {
      const sells = amounts[token] as number;
      const before = passed[token] as number;
      const edges = edgesFrom[token] as readonly Edge[];
      work.left -= edges.length * visitWork;
      for (const edge of edges) {
        const { to } = edge;
        const isLast = to === last;
        const least = isLast ? gain : (most[to] as number);
        if ((!isLast && hop === maxHops - 1) || edge.firstPrice * sells <= least) continue;
        if (!isLast && reach && ((reach[to] as number) & before) !== 0) continue;
        work.left--;
        const more = edge.curve.pay((sold[edge.index] as number) + sells) - (paid[edge.index] as number);
        if (!(more > least)) continue;
        if (isLast) {
          gain = more;
          end = { hop, edge };
          continue;
        }
        most[to] = more;
        (labels.amount[hop + 1] as Float64Array)[to] = more;
        (labels.passed[hop + 1] as Int32Array)[to] = before | (1 << to);
        (labels.edge[hop + 1] as (Edge | undefined)[])[to] = edge;
        if (!next.includes(to)) next.push(to);
      }
    }
    active = next;
  }
  labels.route.length = 0;
  let edge = end?.edge;
  for (let hop = end?.hop ?? -1; hop >= 0 && edge; hop--) {
    labels.route.unshift({ edge, sold: (labels.amount[hop] as Float64Array)[edge.from] as number });
    edge = labels.edge[hop]?.[edge.from];
  }
  return gain;
}

/** Adds `amount` along the best route; false if no route takes it. */
function addPart(flow: Flow, amount: number, labels: Labels, reach?: Reach): boolean {
  const gain = findStep(flow, amount, labels, reach);
  if (!(gain > 0)) return false;
  for (const { edge, sold } of labels.route) {
    const { index, curve } = edge;
    if (reach && flow.sold[index] === 0) connect(reach, edge);
    const total = (flow.sold[index] as number) + sold;
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
  const flow = fill(graph, amountIn);
  return flow?.forward(amountIn) ? flow : undefined;
}

/**
 * The same on a graph whose tokens have no order: no part closes a cycle with the legs in use, so these legs have an order. The
 * flow cannot be computed forward on this graph.
 */
export const fillAcyclic = (graph: Graph, amountIn: number): Flow | undefined =>
  fill(graph, amountIn, noReach(graph.tokens.length));

function fill(graph: Graph, amountIn: number, reach?: Reach): Flow | undefined {
  const { work, tokens } = graph;
  const flow = new Flow(graph);
  const labels = new Labels(tokens.length);
  const before = work.left;
  let part = amountIn / partCount;
  let left = addPart(flow, part, labels, reach) ? amountIn - part : amountIn;
  const affordable = Math.floor(fillWork / Math.max(1, before - work.left));
  if (affordable < partCount) part = left / (Math.max(leastParts, affordable) - 1);
  const smallest = part * smallestFraction;
  while (left > amountIn * 1e-12) {
    if (work.left <= 0) return undefined;
    const amount = Math.min(part, left);
    if (addPart(flow, amount, labels, reach)) left -= amount;
    else if (part > smallest) part /= 2;
    else return undefined;
  }
  flow.normalise();
  return flow;
}

/**
 * A split of `amountIn`, grown to `grown` by marginal price; undefined if no route takes that much. The shares are not
 * updated until `normalise`.
 */
export function continueTo(flow: Flow, amountIn: number, grown: number): Flow | undefined {
  const next = flow.copy();
  const labels = new Labels(flow.graph.tokens.length);
  const part = (grown - amountIn) / 4;
  for (let count = 0; count < 4; count++) if (!addPart(next, part, labels)) return undefined;
  return next;
}
