import type { ConcentratedState, PoolState } from '../../pools/poolTypes.ts';
import type { SearchQuestion } from './searchPlan.ts';

/**
 * No division of an order over routes of up to three hops pays more than this.
 * By weak duality: for any price of each token, the order's value plus what every pool would pay an arbitrageur at these
 * prices bounds the output. The lowest bound over prices is the optimum; a poor minimum only makes the bound weaker.
 * Shares no code with the search: it walks ticks by itself and inverts each range in closed form.
 */
export function upperBound({ pools, tokenIn, tokenOut, amountIn, routingTokens }: SearchQuestion): number {
  const middle = routingTokens.filter((token) => token !== tokenIn && token !== tokenOut);
  const tokens = [tokenIn, ...middle, tokenOut];
  const places = pools.flatMap(({ ref, state }) => {
    const [at0, at1] = [tokens.indexOf(ref.token0), tokens.indexOf(ref.token1)];
    return at0 < 0 || at1 < 0 ? [] : [{ at0, at1, down: rangesOf(state, true), up: rangesOf(state, false) }];
  });
  let most = 0;
  // On routes of three hops each routing token comes first or second.
  for (let choice = 0; choice < 2 ** middle.length; choice++) {
    const rank = tokens.map((_, token) =>
      token === 0 ? 0 : token === tokens.length - 1 ? 3 : 1 + ((choice >> (token - 1)) & 1),
    );
    const arcs = places.flatMap(({ at0, at1, down, up }) => {
      const [rank0, rank1] = [rank[at0] as number, rank[at1] as number];
      if (rank0 === rank1) return [];
      return [rank0 < rank1 ? { from: at0, to: at1, ranges: down } : { from: at1, to: at0, ranges: up }];
    });
    most = Math.max(most, lowestDual(arcs, tokens.length, Number(amountIn)));
  }
  return most;
}

interface Arc {
  from: number;
  to: number;
  ranges: readonly Range[];
}

/** rIn and rOut: virtual reserves; takes: most input after the fee. */
interface Range {
  keep: number;
  rIn: number;
  rOut: number;
  takes: number;
}

function rangesOf(state: PoolState, zeroForOne: boolean): Range[] {
  if (state.kind === 'pair') {
    const [rIn, rOut] = zeroForOne ? [state.reserve0, state.reserve1] : [state.reserve1, state.reserve0];
    return [
      { keep: 1 - state.feePips[0] / 1e6, rIn: Number(rIn), rOut: Number(rOut), takes: Number.POSITIVE_INFINITY },
    ];
  }
  if (state.kind === 'concentrated') return walk(state, zeroForOne);
  throw new Error(`No bound for a pool of kind ${state.kind}.`);
}

function walk(state: ConcentratedState, zeroForOne: boolean): Range[] {
  const keep = 1 - state.feePips[0] / 1e6;
  const ahead = zeroForOne
    ? state.ticks.filter(({ index }) => index <= state.tick).reverse()
    : state.ticks.filter(({ index }) => index > state.tick);
  let root = Number(state.sqrtPriceX96) / 2 ** 96;
  let liquidity = state.liquidity;
  const ranges: Range[] = [];
  for (const { index, liquidityNet } of ahead) {
    const end = 1.0001 ** (index / 2);
    const size = Number(liquidity);
    if (size > 0 && zeroForOne)
      ranges.push({ keep, rIn: size / root, rOut: size * root, takes: size / end - size / root });
    if (size > 0 && !zeroForOne) ranges.push({ keep, rIn: size * root, rOut: size / root, takes: size * (end - root) });
    root = end;
    liquidity += zeroForOne ? -liquidityNet : liquidityNet;
  }
  return ranges;
}

/** The pool's best trade when one unit of input costs `price` units of output: profit in units of output. */
function profit(ranges: readonly Range[], price: number): number {
  let total = 0;
  for (const { keep, rIn, rOut, takes } of ranges) {
    const net = Math.min(takes, Math.sqrt((keep * rIn * rOut) / price) - rIn);
    if (net <= 0) break;
    total += (rOut * net) / (rIn + net) - (price * net) / keep;
    if (net < takes) break;
  }
  return total;
}

/** Prices are logarithms; tokenOut's is 0. */
function dual(arcs: readonly Arc[], prices: readonly number[], amountIn: number): number {
  let total = Math.exp(prices[0] as number) * amountIn;
  for (const { from, to, ranges } of arcs) {
    const worth = Math.exp(prices[to] as number);
    total += worth * profit(ranges, Math.exp((prices[from] as number) - (prices[to] as number)));
  }
  return total;
}

function lowestDual(arcs: readonly Arc[], count: number, amountIn: number): number {
  // Start at the best price of one unit of each token on its routes to tokenOut.
  const prices: number[] = Array.from({ length: count }, () => Number.NEGATIVE_INFINITY);
  prices[count - 1] = 0;
  for (let round = 0; round < count; round++) {
    for (const { from, to, ranges } of arcs) {
      const [first] = ranges;
      if (first && Number.isFinite(prices[to])) {
        prices[from] = Math.max(prices[from] as number, (prices[to] as number) + Math.log(first.rOut / first.rIn));
      }
    }
  }
  const free = prices.map((_, index) => index).filter((index) => index < count - 1 && Number.isFinite(prices[index]));
  if (!free.includes(0)) return 0;
  let lowest = dual(arcs, prices, amountIn);
  for (let width = 4, round = 0; round < 60; round++) {
    const before = lowest;
    // Optimise each price alone, then all together, because pools couple the prices.
    for (const moving of [...free.map((index) => [index]), free, ...pairsOf(free)]) {
      const at = (shift: number) => {
        const moved = [...prices];
        for (const index of moving) moved[index] = (moved[index] as number) + shift;
        return dual(arcs, moved, amountIn);
      };
      const shift = goldenSection(at, -width, width);
      const value = at(shift);
      if (value >= lowest) continue;
      lowest = value;
      for (const index of moving) prices[index] = (prices[index] as number) + shift;
    }
    if (before - lowest < lowest * 1e-7) {
      if (width < 1e-3) break;
      width /= 8;
    }
  }
  return lowest;
}

function goldenSection(at: (shift: number) => number, from: number, to: number): number {
  const ratio = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [from, to];
  let [a, b] = [high - ratio * (high - low), low + ratio * (high - low)];
  let [atA, atB] = [at(a), at(b)];
  for (let step = 0; step < 44; step++) {
    if (atA < atB) {
      [high, b, atB] = [b, a, atA];
      a = high - ratio * (high - low);
      atA = at(a);
    } else {
      [low, a, atA] = [a, b, atB];
      b = low + ratio * (high - low);
      atB = at(b);
    }
  }
  return (low + high) / 2;
}

const pairsOf = (list: readonly number[]) => list.flatMap((a, at) => list.slice(at + 1).map((b) => [a, b]));
