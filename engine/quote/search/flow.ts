import type { Edge, Network, Path } from './network.ts';

/** Slopes are evaluated this part below and above an amount, because they jump at the end of a liquidity range. */
export const nearby = 5e-5;

/** Part of a token's amount with which the next prices of legs are compared. */
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
   * Price of a leg for the next unit, or for the next small part of its token if that is lower: a dust pool can have the
   * best price but take almost nothing.
   */
  priceOfMore({ index, from, curve }: Edge): number {
    const sold = this.sold[index] as number;
    const slope = curve.slope(sold * (1 + nearby));
    const part = (this.total[from] as number) * smallestPart;
    return part > 0
      ? Math.max(0, Math.min(slope, (curve.pay(sold + part) - (this.paid[index] as number)) / part))
      : slope;
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

/** The part of the network over which an order is split. */
export interface Graph {
  tokens: Network['tokens'];
  edges: readonly Edge[];
  /** Edges by the token they sell. */
  from: readonly (readonly Edge[])[];
  /** Tokens in topological order: no edge leads to an earlier token, and tokenOut comes last. */
  order: readonly number[];
  last: number;
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
  const first = toGraph(network, layersFor(network, threeHops, followed));
  const others = threeHops.filter((path) => !followed.has(path));
  return others.length === 0 ? [first] : [first, toGraph(network, layersFor(network, [...others, ...threeHops]))];
}

type Layers = ReadonlyMap<number, 1 | 2>;

/** Assigns tokens to layers. @param followed receives the paths that the layers allow */
function layersFor({ tokens, edges }: Network, threeHops: readonly Path[], followed = new Set<Path>()): Layers {
  const last = tokens.length - 1;
  const sold = new Set(edges.flatMap(({ from, to }) => (from === 0 ? [to] : [])));
  const bought = new Set(edges.flatMap(({ from, to }) => (to === last ? [from] : [])));
  const layers = new Map<number, 1 | 2>();
  // In the other layer no edge could lead to such a token, or away from it.
  for (let token = 1; token < last; token++) {
    if (!sold.has(token)) layers.set(token, 2);
    else if (!bought.has(token)) layers.set(token, 1);
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

function toGraph({ tokens, edges }: Network, layers: Layers): Graph {
  const last = tokens.length - 1;
  const layerOf = (token: number) => (token === 0 ? 0 : token === last ? 3 : (layers.get(token) ?? 1));
  const kept = edges
    .filter(({ from, to }) => layerOf(from) < layerOf(to))
    .map((edge, index): Edge => ({ ...edge, index }));
  const order = tokens.map((_, token) => token).sort((a, b) => layerOf(a) - layerOf(b));
  const from = tokens.map((_, token) => kept.filter((edge) => edge.from === token));
  return { tokens, edges: kept, from, order, last };
}
