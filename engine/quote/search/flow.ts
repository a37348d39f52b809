import type { Edge, Network, Path, Work } from './network.ts';

/** Slopes are evaluated this part below and above an amount, because they jump at the end of a liquidity range. */
export const nearby = 5e-5;

const unknown = -1;

/** Work of looking at a leg without evaluating its curve. */
export const visitWork = 1 / 8;

/** Part of a token's amount with which the next prices of legs are compared. */
const smallestPart = 1e-4;

const none: ReadonlySet<number> = new Set();

/** The rest of a token is sold in parts: this fraction of it, or halves if no pool takes them, down to the second one. */
const [restPart, smallestRestPart] = [1 / 4, 1 / 32];

/** Part of a token's amount that only rounding leaves. */
const roundingError = 1e-12;

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
  /** The price of each edge for more, and for the last part of what it sells, as of `setValues`; `unknown` after a change. */
  more: number[];
  less: number[];
  amountOut: number;

  /** @param from a flow over the same graph to copy; by default nothing is sold */
  constructor(
    readonly graph: Graph,
    from?: Flow,
  ) {
    const { edges, order } = graph;
    this.share = from ? from.share.slice() : edges.map(() => 0);
    this.sold = from ? from.sold.slice() : edges.map(() => 0);
    this.paid = from ? from.paid.slice() : edges.map(() => 0);
    this.more = from ? from.more.slice() : edges.map(() => unknown);
    this.less = from ? from.less.slice() : edges.map(() => 0);
    this.total = from ? from.total.slice() : order.map(() => 0);
    this.value = from ? from.value.slice() : order.map(() => 0);
    this.amountOut = from ? from.amountOut : 0;
  }

  copy(): Flow {
    this.graph.work.left -= this.graph.edges.length * visitWork;
    return new Flow(this.graph, this);
  }

  /** Legs in use. */
  get used(): Edge[] {
    return this.graph.edges.filter(({ index }) => (this.sold[index] as number) > 0);
  }

  /**
   * Computes amounts from the shares; false if a pool cannot take its part.
   * @param before with its values: the legs of a token whose pools cannot take their parts sell as much as in this flow, and
   *   the rest is sold where it pays most
   */
  forward(amountIn: number, before?: Flow, closed: ReadonlySet<number> = none): boolean {
    const { order, from, last } = this.graph;
    this.total.fill(0);
    this.total[0] = amountIn;
    for (const token of order) {
      if (!this.sell(token) && !(before && this.sellAsBefore(token, before, closed))) return false;
      for (const { index, to } of from[token] as readonly Edge[]) {
        this.total[to] = (this.total[to] as number) + (this.paid[index] as number);
      }
    }
    this.amountOut = this.total[last] as number;
    return true;
  }

  /** Sells a token by the shares of its legs; false if a pool cannot take its part. */
  private sell(token: number): boolean {
    const total = this.total[token] as number;
    const edges = this.graph.from[token] as readonly Edge[];
    const { work } = this.graph;
    for (const { index, curve } of edges) {
      const sold = total * (this.share[index] as number);
      if (sold === this.sold[index]) continue;
      const paid = sold === 0 ? 0 : curve.pay(sold);
      work.left--;
      if (!(paid >= 0)) return false;
      this.sold[index] = sold;
      this.paid[index] = paid;
      this.more[index] = unknown;
    }
    return true;
  }

  /** Sells a token by the amounts of its legs in another flow, and the rest in parts to the legs that pay most for them. */
  private sellAsBefore(token: number, before: Flow, closed: ReadonlySet<number>): boolean {
    const total = this.total[token] as number;
    const edges = this.graph.from[token] as readonly Edge[];
    const isSold = (to: number) => to === this.graph.last || (before.total[to] as number) > 0;
    const open = edges.filter(({ index, to }) => !closed.has(index) && isSold(to));
    const kept = edges.reduce((sum, { index }) => sum + (closed.has(index) ? 0 : (before.sold[index] as number)), 0);
    for (const { index, curve } of edges) {
      const sold = closed.has(index) ? 0 : (before.sold[index] as number) * Math.min(1, total / kept);
      this.sold[index] = sold;
      this.paid[index] = sold === 0 ? 0 : curve.pay(sold);
      this.more[index] = unknown;
    }
    const rest = total - kept;
    let part = rest * restPart;
    for (let left = rest; left > total * roundingError; left -= part) {
      part = Math.min(part, left);
      let best = this.bestFor(open, part, before);
      while (!best && part > rest * smallestRestPart) {
        part /= 2;
        best = this.bestFor(open, part, before);
      }
      if (!best) return false;
      this.sold[best.index] = (this.sold[best.index] as number) + part;
      this.paid[best.index] = best.curve.pay(this.sold[best.index] as number);
    }
    for (const { index } of edges) this.share[index] = (this.sold[index] as number) / total;
    return true;
  }

  private bestFor(legs: readonly Edge[], part: number, { value }: Flow): Edge | undefined {
    this.graph.work.left -= legs.length;
    let best: Edge | undefined;
    let most = 0;
    for (const edge of legs) {
      const more = edge.curve.pay((this.sold[edge.index] as number) + part) - (this.paid[edge.index] as number);
      const worth = more * (value[edge.to] as number);
      if (worth > most) [best, most] = [edge, worth];
    }
    return best;
  }

  /** Computes each edge's price for more, and the tokenOut that one more unit of each token returns. */
  setValues(): void {
    const { order, from, last, work } = this.graph;
    this.value[last] = 1;
    for (let at = order.length - 2; at >= 0; at--) {
      const token = order[at] as number;
      let most = 0;
      for (const edge of from[token] as readonly Edge[]) {
        const { index, firstPrice, to, curve } = edge;
        const valueOut = this.value[to] as number;
        const sold = this.sold[index] as number;
        if (this.more[index] === unknown) {
          // An unused leg pays at most its first price, so most of them need no computation.
          if (sold === 0 && firstPrice * valueOut <= most) continue;
          this.more[index] = this.priceOfMore(edge);
          this.less[index] = sold > 0 ? curve.slope(sold * (1 - nearby)) : 0;
          work.left -= 2;
        }
        const worth = (this.more[index] as number) * valueOut;
        if (worth > most) most = worth;
      }
      this.value[token] = most;
    }
  }

  /**
   * Price of a leg for the next unit, or for the next small part of its token if that is lower: a dust pool can have the
   * best price but take almost nothing.
   */
  priceOfMore(edge: Edge): number {
    return this.priceAt(edge, this.sold[edge.index] as number, this.paid[edge.index] as number);
  }

  /** The same for an edge of any graph that sells `sold` and pays `paid`. */
  priceAt({ from, curve }: Pick<Edge, 'from' | 'curve'>, sold: number, paid: number): number {
    const slope = curve.slope(sold * (1 + nearby));
    const part = (this.total[from] as number) * smallestPart;
    return part > 0 ? Math.max(0, Math.min(slope, (curve.pay(sold + part) - paid) / part)) : slope;
  }

  /** The same flow over the legs in use alone. */
  compact(): Flow {
    const { graph, used } = this;
    const from = graph.from.map((): Edge[] => []);
    const edges = used.map(withIndex);
    for (const edge of edges) from[edge.from]?.push(edge);
    const next = new Flow({ ...graph, edges, from });
    for (const [index, { index: before }] of used.entries()) {
      next.share[index] = this.share[before] as number;
      next.sold[index] = this.sold[before] as number;
      next.paid[index] = this.paid[before] as number;
    }
    next.total = this.total.slice();
    next.amountOut = this.amountOut;
    return next;
  }

  /** Computes the shares from the amounts sold. */
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

/** The same edge in another graph. Faster than a spread: searches copy thousands of edges. */
export const withIndex = ({ pool, from, to, curve, firstPrice }: Edge, index: number): Edge => ({
  index,
  pool,
  from,
  to,
  curve,
  firstPrice,
});

/** The part of the network over which an order is split. */
export interface Graph {
  tokens: Network['tokens'];
  edges: readonly Edge[];
  /** Edges by the token they sell. */
  from: readonly (readonly Edge[])[];
  /** Tokens in topological order: no edge leads to an earlier token, and tokenOut comes last. */
  order: readonly number[];
  last: number;
  work: Work;
}

/** The flow that sells everything over one path; undefined if the graph lacks one of its edges or a pool rejects it. */
export function flowAlong(path: Path, graph: Graph, amountIn: number): Flow | undefined {
  const flow = new Flow(graph);
  for (const { pool, from } of path.edges) {
    const edge = graph.from[from]?.find((other) => other.pool === pool);
    if (edge) flow.share[edge.index] = 1;
  }
  return flow.forward(amountIn) && flow.amountOut > 0 ? flow : undefined;
}

/**
 * Graphs of tokens in two layers between tokenIn and tokenOut, so that no route has more than three hops. Each routing
 * token is in the layer that the best routes of three hops need. If they disagree, a second graph follows the others
 * first.
 *
 * @param threeHops best first
 */
export function toGraphs(network: Network, threeHops: readonly Path[]): Graph[] {
  const followed = new Set<Path>();
  const first = toLayeredGraph(network, layersFor(network, threeHops, followed));
  const others = threeHops.filter((path) => !followed.has(path));
  return others.length === 0
    ? [first]
    : [first, toLayeredGraph(network, layersFor(network, [...others, ...threeHops]))];
}

type Layers = ReadonlyMap<number, 1 | 2>;

/** Assigns tokens to layers. @param followed receives the paths that the layers allow */
function layersFor({ tokens, between }: Network, threeHops: readonly Path[], followed = new Set<Path>()): Layers {
  const last = tokens.length - 1;
  const layers = new Map<number, 1 | 2>();
  // In the other layer no edge could lead to such a token, or away from it.
  for (let token = 1; token < last; token++) {
    if (between[0]?.[token]?.length === 0) layers.set(token, 2);
    else if (between[token]?.[last]?.length === 0) layers.set(token, 1);
  }
  for (const path of threeHops) {
    const [first, second] = [path.edges[0]?.to ?? 0, path.edges[1]?.to ?? 0];
    if (layers.get(first) === 2 || layers.get(second) === 1) continue;
    layers.set(first, 1);
    layers.set(second, 2);
    followed.add(path);
  }
  return layers;
}

function toLayeredGraph({ tokens, edges, work }: Network, layers: Layers): Graph {
  const last = tokens.length - 1;
  const layerOf = (token: number) => (token === 0 ? 0 : token === last ? 3 : (layers.get(token) ?? 1));
  const order = tokens.map((_, token) => token).sort((a, b) => layerOf(a) - layerOf(b));
  const kept: Edge[] = [];
  const from = tokens.map((): Edge[] => []);
  for (const edge of edges) {
    if (layerOf(edge.from) >= layerOf(edge.to)) continue;
    const own = withIndex(edge, kept.length);
    kept.push(own);
    from[edge.from]?.push(own);
  }
  return { tokens, edges: kept, from, order, last, work };
}
