import type { Edge, Network, Path } from './network.ts';

/** Part of a token by which legs are compared. */
const smallestPart = 1e-4;

/**
 * The order as a flow through the network: `share` is each edge's part of all that is sold of its token. Tokens form
 * layers (tokenIn, first, second, tokenOut), so no route has more than three hops.
 */
export class Flow {
  share: number[];
  /** Input and output of each edge. */
  sold: number[];
  paid: number[];
  /** The total sold of a token, and the tokenOut that one more unit of it returns. */
  total: number[];
  value: number[];
  amountOut = 0;

  constructor(readonly graph: Graph) {
    const { edges, order } = graph;
    this.share = edges.map(() => 0);
    this.sold = edges.map(() => 0);
    this.paid = edges.map(() => 0);
    this.total = order.map(() => 0);
    this.value = order.map(() => 0);
  }

  copy(): Flow {
    const copy: Flow = Object.create(Flow.prototype);
    return Object.assign(copy, {
      graph: this.graph,
      share: this.share.slice(),
      sold: this.sold.slice(),
      paid: this.paid.slice(),
      total: this.total.slice(),
      value: this.value.slice(),
      amountOut: this.amountOut,
    });
  }

  /** Legs in use. */
  get used(): Edge[] {
    return this.graph.edges.filter(({ index }) => (this.sold[index] as number) > 0);
  }

  /** Computes amounts from the shares; false if a pool cannot take its part. */
  forward(amountIn: number): boolean {
    const { order, from, last } = this.graph;
    this.total.fill(0);
    this.total[0] = amountIn;
    for (const token of order) {
      const total = this.total[token] as number;
      for (const { index, to, curve } of from[token] as readonly Edge[]) {
        const sold = total * (this.share[index] as number);
        this.sold[index] = sold;
        if (sold === 0) {
          this.paid[index] = 0;
          continue;
        }
        const paid = curve.pay(sold);
        if (!(paid >= 0)) return false;
        this.paid[index] = paid;
        this.total[to] = (this.total[to] as number) + paid;
      }
    }
    this.amountOut = this.total[last] as number;
    return true;
  }

  /** Computes the tokenOut that one more unit of each token returns. */
  setValues(): void {
    const { order, from, last } = this.graph;
    this.value[last] = 1;
    for (let at = order.length - 2; at >= 0; at--) {
      const token = order[at] as number;
      let most = 0;
      for (const edge of from[token] as readonly Edge[]) {
        const worth = this.priceOfMore(edge) * (this.value[edge.to] as number);
        if (worth > most) most = worth;
      }
      this.value[token] = most;
    }
  }

  /**
   * What a leg pays for the next unit, and at most for the next small part of its token: a pool of dust can have the best
   * price and take next to nothing.
   */
  priceOfMore({ index, from, curve }: Edge): number {
    const sold = this.sold[index] as number;
    const slope = curve.slope(sold * (1 + nearby));
    const part = (this.total[from] as number) * smallestPart;
    return part > 0
      ? Math.max(0, Math.min(slope, (curve.pay(sold + part) - (this.paid[index] as number)) / part))
      : slope;
  }

  /** Shares from the amounts sold. */
  normalise(): void {
    const { order, from } = this.graph;
    for (const token of order) {
      const edges = from[token] as readonly Edge[];
      let total = 0;
      for (const { index } of edges) total += this.sold[index] as number;
      this.total[token] = total;
      for (const { index } of edges) this.share[index] = total > 0 ? (this.sold[index] as number) / total : 0;
    }
  }
}

/** The part of the network that an order is divided over. */
export interface Graph {
  tokens: Network['tokens'];
  edges: readonly Edge[];
  /** Edges by the token they sell. */
  from: readonly (readonly Edge[])[];
  /** Tokens in an order in which no edge leads back; tokenOut comes last. */
  order: readonly number[];
  last: number;
}

/** Chooses for each routing token whether it comes first or second on routes of three hops, from the best such routes. */
export function toGraph({ tokens, edges }: Network, threeHops: readonly Path[]): Graph {
  const last = tokens.length - 1;
  const layer = new Map<number, 1 | 2>();
  for (const { edges: path } of threeHops) {
    const [first, second] = [path[0]?.to ?? 0, path[1]?.to ?? 0];
    if (layer.get(first) === 2 || layer.get(second) === 1) continue;
    layer.set(first, 1);
    layer.set(second, 2);
  }
  const layerOf = (token: number) => (token === 0 ? 0 : token === last ? 3 : (layer.get(token) ?? 1));
  const kept = edges
    .filter(({ from, to }) => layerOf(from) < layerOf(to))
    .map((edge, index): Edge => ({ ...edge, index }));
  const order = tokens.map((_, token) => token).sort((a, b) => layerOf(a) - layerOf(b));
  const from = tokens.map((_, token) => kept.filter((edge) => edge.from === token));
  return { tokens, edges: kept, from, order, last };
}

/** Where the next amount goes: edges from a token to tokenOut with the amount that each sells. */
interface Step {
  gain: number;
  edges: Edge[];
  sold: number[];
}

const nowhere: Step = { gain: 0, edges: [], sold: [] };

/** The route on which `amount` more of a token returns the most, on top of the current flow. */
function bestStep(flow: Flow, token: number, amount: number): Step {
  const { from, last } = flow.graph;
  let best = nowhere;
  const edges = from[token] as readonly Edge[];
  const bestTo = new Map<number, { edge: Edge; gain: number }>();
  for (const edge of edges) {
    const gain = edge.curve.pay((flow.sold[edge.index] as number) + amount) - (flow.paid[edge.index] as number);
    if (gain > 0 && gain > (bestTo.get(edge.to)?.gain ?? 0)) bestTo.set(edge.to, { edge, gain });
  }
  for (const [to, { edge, gain }] of bestTo) {
    if (to === last) {
      if (gain > best.gain) best = { gain, edges: [edge], sold: [amount] };
      continue;
    }
    const next = bestStep(flow, to, gain);
    if (next.gain > best.gain) {
      best = { gain: next.gain, edges: [edge, ...next.edges], sold: [amount, ...next.sold] };
    }
  }
  return best;
}

/** Adds `amount` along the best route; false if no route takes it. */
function pour(flow: Flow, amount: number): boolean {
  const step = bestStep(flow, 0, amount);
  if (!(step.gain > 0)) return false;
  for (const [at, edge] of step.edges.entries()) {
    const sold = (flow.sold[edge.index] as number) + (step.sold[at] as number);
    flow.sold[edge.index] = sold;
    flow.paid[edge.index] = edge.curve.pay(sold);
  }
  flow.amountOut += step.gain;
  return true;
}

const pours = 24;
/** A pour that no route takes is halved down to this part of the usual one. */
const smallestPour = 1 / 64;

/** Divides `amountIn` by marginal price: pours it in equal parts, each along the route that pays most for it. */
export function fillByParts(graph: Graph, amountIn: number): Flow | undefined {
  const flow = new Flow(graph);
  let part = amountIn / pours;
  let left = amountIn;
  while (left > amountIn * 1e-12) {
    const amount = Math.min(part, left);
    if (pour(flow, amount)) left -= amount;
    else if (part > (amountIn / pours) * smallestPour) part /= 2;
    else return undefined;
  }
  flow.normalise();
  return flow.forward(amountIn) ? flow : undefined;
}

/** A division of `amountIn` grown to `grown` by marginal price; undefined if no route takes that much. */
export function continueTo(flow: Flow, amountIn: number, grown: number): Flow | undefined {
  const next = flow.copy();
  const part = (grown - amountIn) / 4;
  for (let count = 0; count < 4; count++) if (!pour(next, part)) return undefined;
  next.normalise();
  return next.forward(grown) ? next : undefined;
}

/** Balanced: the best use of a token pays less than this more than the worst one. */
const balanced = 1e-6;

const none: ReadonlySet<number> = new Set();

/** Moves shares from the leg of a token with the lowest marginal return to the one with the highest, while that gains. */
export function improve(flow: Flow, amountIn: number, mostMoves: number, closed = none): Flow {
  const { order, from } = flow.graph;
  let best = flow;
  let moves = 0;
  for (let round = 0; round < 40 && moves < mostMoves; round++) {
    const before = best.amountOut;
    for (const token of [...order].reverse()) {
      if (!((best.total[token] as number) > 0) || (from[token]?.length ?? 0) < 2) continue;
      for (let tries = 0; tries < 4 && moves < mostMoves; tries++) {
        moves++;
        const next = moveShare(best, token, amountIn, closed);
        if (!next) break;
        best = next;
      }
    }
    if (best.amountOut - before <= best.amountOut * 2e-7) break;
  }
  return best;
}

function moveShare(flow: Flow, token: number, amountIn: number, closed: ReadonlySet<number>): Flow | undefined {
  flow.setValues();
  const edges = flow.graph.from[token] as readonly Edge[];
  let worst: Edge | undefined;
  let best: Edge | undefined;
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const edge of edges) {
    const sold = flow.sold[edge.index] as number;
    if (sold === 0) continue;
    const worth = edge.curve.slope(sold * (1 - nearby)) * (flow.value[edge.to] as number);
    if (worth < least) [worst, least] = [edge, worth];
  }
  for (const edge of edges) {
    if (closed.has(edge.index)) continue;
    const worth = flow.priceOfMore(edge) * (flow.value[edge.to] as number);
    if (worth > most) [best, most] = [edge, worth];
  }
  if (!worst || !best || worst === best || least > most * (1 - balanced)) return undefined;

  const movable = flow.sold[worst.index] as number;
  const gap = most - least;
  let moved = Math.min(movable, newtonStep(flow, worst, best, gap));
  for (let tries = 0; tries < 5; tries++, moved /= 6) {
    const next = withMoved(flow, worst, best, moved, amountIn);
    if (!next) continue;
    const overshot = worthOf(worst, next) - worthOf(best, next);
    // Past the optimum: interpolate the point of equal marginal returns.
    const between =
      overshot > gap * 0.05 ? withMoved(flow, worst, best, (moved * gap) / (gap + overshot), amountIn) : undefined;
    const better = between && between.amountOut > next.amountOut ? between : next;
    if (better.amountOut > flow.amountOut) return better;
  }
  return undefined;
}

/** Slopes are read just before and after an amount: they jump where a range of liquidity ends. */
const nearby = 5e-5;

const worthOf = (edge: Edge, { sold, value }: Flow) =>
  edge.curve.slope(sold[edge.index] as number) * (value[edge.to] as number);

function withMoved(flow: Flow, worst: Edge, best: Edge, moved: number, amountIn: number): Flow | undefined {
  const next = flow.copy();
  const share = next.share[worst.index] as number;
  const part = Math.min(share, moved / (flow.total[worst.from] as number));
  next.share[worst.index] = share - part;
  next.share[best.index] = (next.share[best.index] as number) + part;
  startToken(next, best.to);
  return next.forward(amountIn) ? next : undefined;
}

/** Estimates, by curvature alone, the amount to move until both legs have equal marginal returns. */
function newtonStep(flow: Flow, worst: Edge, best: Edge, gap: number): number {
  const bend = (edge: Edge) => {
    const sold = flow.sold[edge.index] as number;
    const step = Math.max(sold * 1e-3, (flow.total[edge.from] as number) * 1e-4);
    const value = flow.value[edge.to] as number;
    return Math.max(0, ((edge.curve.slope(sold) - edge.curve.slope(sold + step)) * value) / step);
  };
  const sum = bend(worst) + bend(best);
  return sum > 0 ? gap / sum : Number.POSITIVE_INFINITY;
}

/** A token without sales so far uses the leg with the highest return for its first unit. */
function startToken(flow: Flow, token: number): void {
  if (token === flow.graph.last || (flow.total[token] as number) > 0) return;
  const edges = flow.graph.from[token] as readonly Edge[];
  let best: Edge | undefined;
  let most = 0;
  for (const edge of edges) {
    const worth = edge.curve.slope(0) * (flow.value[edge.to] as number);
    if (worth > most) [best, most] = [edge, worth];
  }
  for (const { index } of edges) flow.share[index] = 0;
  if (best) {
    flow.share[best.index] = 1;
    startToken(flow, best.to);
  }
}
