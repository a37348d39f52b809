import { Flow, type Graph, withIndex } from './flow.ts';
import type { Edge, Network } from './network.ts';

/** All edges of the network. Its tokens have no order, so it can be filled but not computed forward. */
export function wholeGraph({ tokens, edges, work }: Network): Graph {
  const from = tokens.map((_, token) => edges.filter((edge) => edge.from === token));
  return { tokens, edges, from, order: tokens.map((_, token) => token), last: tokens.length - 1, work };
}

/** The edges that lead to a later token in this order. */
export function toGraph({ tokens, edges, work }: Network, order: readonly number[]): Graph {
  const placeOf = tokens.map(() => 0);
  for (const [place, token] of order.entries()) placeOf[token] = place;
  const kept: Edge[] = [];
  const from = tokens.map((): Edge[] => []);
  for (const edge of edges) {
    if ((placeOf[edge.from] as number) >= (placeOf[edge.to] as number)) continue;
    const own = withIndex(edge, kept.length);
    kept.push(own);
    from[edge.from]?.push(own);
  }
  return { tokens, edges: kept, from, order, last: tokens.length - 1, work };
}

/** The same amounts on another graph of the network, which must have all edges in use. */
export function transfer(flow: Flow, graph: Graph): Flow {
  const next = new Flow(graph);
  for (const { index, from, pool } of flow.used) {
    const own = graph.from[from]?.find((edge) => edge.pool === pool);
    if (!own) throw new Error(`No edge from token ${from} over pool ${pool.ref.id} in this order.`);
    next.sold[own.index] = flow.sold[index] as number;
    next.paid[own.index] = flow.paid[index] as number;
  }
  next.normalise();
  next.amountOut = flow.amountOut;
  return next;
}

/** Rounds that propagate prices over the network: more hops than any route that pays. */
const priceRounds = 6;
/** A leg that the graph excludes counts if it would return this much more than the flow's best route. */
const leastLoss = 1e-5;

/** For each pair of tokens: what a small amount returns on the best route over their best leg, relative to the best route. */
class Returns {
  private readonly through: Float64Array;
  private readonly count: number;

  constructor(network: Network, flow: Flow) {
    const count = network.tokens.length;
    this.count = count;
    const price = pricesOf(network, flow);
    /** The most of each token for one unit of tokenIn, and the most tokenOut for one unit of it. */
    const bought = new Float64Array(count);
    const value = new Float64Array(count);
    bought[0] = 1;
    value[count - 1] = 1;
    for (let round = 0; round < priceRounds; round++) {
      for (let from = 0; from < count; from++) {
        for (let to = 0; to < count; to++) {
          const each = price[from * count + to] as number;
          if (each === 0) continue;
          bought[to] = Math.max(bought[to] as number, (bought[from] as number) * each);
          value[from] = Math.max(value[from] as number, each * (value[to] as number));
        }
      }
    }
    const best = value[0] as number;
    this.through = price.map(
      (each, at) => (each * (bought[Math.floor(at / count)] as number) * (value[at % count] as number)) / best,
    );
  }

  /** 0 if no leg returns anything, for example because the order exceeds all pools. */
  of(from: number, to: number): number {
    const found = this.through[from * this.count + to] as number;
    return Number.isFinite(found) ? found : 0;
  }
}

/** For each pair of tokens, the best price of their legs for the next small amount. */
function pricesOf({ tokens, edges, work }: Network, flow: Flow): Float64Array {
  const price = new Float64Array(tokens.length ** 2);
  const usedOf = new Map(flow.used.map((edge) => [edge.pool, edge]));
  for (const edge of edges) {
    const at = edge.from * tokens.length + edge.to;
    if (edge.firstPrice <= (price[at] as number)) continue;
    const used = usedOf.get(edge.pool);
    work.left--;
    const own = used?.from === edge.from ? flow.priceOfMore(used) : flow.priceAt(edge, 0, 0);
    if (own > (price[at] as number)) price[at] = own;
  }
  return price;
}

/**
 * An order of the tokens in which all legs in use lead to a later token, and the legs that no order allows together with
 * them are those that return least.
 */
function orderOf({ tokens, last }: Graph, used: readonly Edge[], returns: Returns): number[] {
  const order = [0];
  const left = new Set(tokens.map((_, token) => token).filter((token) => token !== 0 && token !== last));
  while (left.size > 0) {
    let next: number | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const token of left) {
      if (used.some(({ from, to }) => to === token && left.has(from))) continue;
      // The legs to this token from those that follow are lost.
      let lost = 0;
      for (const other of left) if (other !== token) lost = Math.max(lost, returns.of(other, token));
      if (lost < least) [next, least] = [token, lost];
    }
    if (next === undefined) throw new Error('The legs in use form a cycle.');
    order.push(next);
    left.delete(next);
  }
  return [...order, last];
}

/** Whether a leg that the graph of a flow excludes would return more than its best route. Few of them need their curve. */
export function excludesBetter({ tokens, edges }: Network, flow: Flow): boolean {
  const { order, from: edgesFrom, work } = flow.graph;
  const { more, value } = flow;
  flow.setValues();
  const count = tokens.length;
  const isIn = new Uint8Array(count * count);
  /** The most of each token for one unit of tokenIn. */
  const bought = new Float64Array(count);
  bought[0] = 1;
  for (const token of order) {
    const each = bought[token] as number;
    for (const edge of edgesFrom[token] as readonly Edge[]) {
      const { index, to, firstPrice } = edge;
      isIn[token * count + to] = 1;
      if (each * firstPrice <= (bought[to] as number)) continue;
      const own = more[index] as number;
      const price = own < 0 ? flow.priceOfMore(edge) : own;
      if (own < 0) work.left--;
      bought[to] = Math.max(bought[to] as number, each * price);
    }
  }
  const least = (value[0] as number) * (1 + leastLoss);
  return edges.some((edge) => {
    const { from, to, firstPrice } = edge;
    const factor = (bought[from] as number) * (value[to] as number);
    if (isIn[from * count + to] === 1 || firstPrice * factor <= least) return false;
    work.left--;
    return flow.priceAt(edge, 0, 0) * factor > least;
  });
}

/** The flow on the graph of the best order for its legs. */
export const inOrder = (network: Network, flow: Flow): Flow =>
  transfer(flow, toGraph(network, orderOf(flow.graph, flow.used, new Returns(network, flow))));
