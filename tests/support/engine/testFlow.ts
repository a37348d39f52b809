import { Flow, type Graph } from '../../../engine/quote/search/flow.ts';
import type { Edge } from '../../../engine/quote/search/network.ts';
import type { PoolState } from '../../../engine/venues/poolTypes.ts';
import { poolOf, testTokens } from './testMarket.ts';

/**
 * A constant-product pool without a fee: it pays `price` for the first unit and half as much after `depth` units. Its
 * curve accepts at most `most`.
 */
export interface TestLeg {
  from?: number;
  to?: number;
  price?: number;
  depth?: number;
  most?: number;
  /** Its part of what is sold of its token. */
  share: number;
  kind?: PoolState['kind'];
  /** Initialised ticks that a swap crosses. */
  crossed?: number;
}

const { LT, USDC } = testTokens;

function toEdge(
  { from = 0, to = 1, price = 1, depth = 1e6, most = 1e12, kind = 'pair', crossed = 0 }: TestLeg,
  index: number,
): Edge {
  const root = (amount: number) => depth / (depth + amount);
  const pay = (amount: number) => (amount <= most ? price * amount * root(amount) : Number.NEGATIVE_INFINITY);
  const slope = (amount: number) => (amount < most ? price * root(amount) ** 2 : 0);
  const [reserve0, reserve1] = [BigInt(Math.floor(depth)), BigInt(Math.floor(price * depth))];
  const state = { kind, rule: 'uniswap-v2', reserve0, reserve1, feePips: [0, 0] } as PoolState;
  const curve = { pay, slope, reach: pay, crossed: () => crossed };
  return { index, from, to, pool: poolOf(state, LT, USDC), curve, firstPrice: price };
}

/** An order of `amountIn` LT over these legs. Tokens are in the order of their numbers; `last` is tokenOut, USDC. */
export function flowOf(legs: readonly TestLeg[], amountIn: number, last = 1): Flow {
  const edges = legs.map(toEdge);
  const numbers = Array.from({ length: last + 1 }, (_, token) => token);
  const graph: Graph = {
    tokens: numbers.map((token) => (token === last ? USDC : LT).address),
    edges,
    from: numbers.map((token) => edges.filter(({ from }) => from === token)),
    order: numbers,
    last,
    work: { left: 1e9 },
  };
  const flow = new Flow(graph);
  flow.share = legs.map(({ share }) => share);
  if (!flow.forward(amountIn)) throw new Error('A pool does not accept its part.');
  return flow;
}
