import type { WeightedState } from '../../venues/balancerV2/weighted.ts';
import type { PoolState } from '../../venues/poolTypes.ts';
import type { PairState } from '../../venues/uniswapV2/pair.ts';
import type { ConcentratedState } from '../../venues/uniswapV3/concentrated.ts';
import type { SearchQuery } from './searchPlan.ts';
import { seededRandom } from './testMarket.ts';

/**
 * An upper bound on the output of any split over routes of up to three hops.
 * By weak duality: for any price of each token, the order's value plus every pool's profit for an arbitrageur at these
 * prices bounds the output (Angeris et al., "Optimal Routing for Constant Function Market Makers", 2022). The lowest bound
 * over prices is the optimum; a poor minimum only makes the bound weaker.
 * Shares no code with the search: it walks ticks by itself and inverts each range in closed form.
 */
export function upperBound({ pools, tokenIn, tokenOut, amountIn, routingTokens }: SearchQuery): number {
  const middle = routingTokens.filter((token) => token !== tokenIn && token !== tokenOut);
  const tokens = [tokenIn, ...middle, tokenOut];
  const edges = pools.flatMap(({ ref, state }) => {
    const [index0, index1] = [tokens.indexOf(ref.token0), tokens.indexOf(ref.token1)];
    if (index0 < 0 || index1 < 0) return [];
    return [{ index0, index1, down: rangesOf(state, true), up: rangesOf(state, false) }];
  });
  let most = 0;
  // On a route of three hops a routing token is the first or the second stop: try each assignment, as bits of `choice`.
  for (let choice = 0; choice < 2 ** middle.length; choice++) {
    const rank = tokens.map((_, token) =>
      token === 0 ? 0 : token === tokens.length - 1 ? 3 : 1 + ((choice >> (token - 1)) & 1),
    );
    const arcs = edges.flatMap(({ index0, index1, down, up }) => {
      const [rank0, rank1] = [rank[index0] as number, rank[index1] as number];
      if (rank0 === rank1) return [];
      return [rank0 < rank1 ? { from: index0, to: index1, ranges: down } : { from: index1, to: index0, ranges: up }];
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

/**
 * A range of constant liquidity. keep: 1 − fee; rIn, rOut: virtual reserves; takes: maximum input after the fee; quotient:
 * weight of the token sold by that of the token bought.
 */
interface Range {
  keep: number;
  rIn: number;
  rOut: number;
  takes: number;
  quotient: number;
}

function rangesOf(state: PoolState, zeroForOne: boolean): Range[] {
  if (state.kind === 'pair') {
    const [rIn, rOut] = zeroForOne ? [state.reserve0, state.reserve1] : [state.reserve1, state.reserve0];
    return [
      {
        keep: keptShare(state, zeroForOne),
        rIn: Number(rIn),
        rOut: Number(rOut),
        takes: Number.POSITIVE_INFINITY,
        quotient: 1,
      },
    ];
  }
  if (state.kind === 'weighted') return [weightedRange(state, zeroForOne)];
  if (state.kind === 'concentrated') return walk(state, zeroForOne);
  throw new Error(`No bound for a pool of kind ${state.kind}.`);
}

function weightedRange(state: WeightedState, zeroForOne: boolean): Range {
  const sides = [
    [Number(state.balance0), Number(state.weight0)],
    [Number(state.balance1), Number(state.weight1)],
  ] as const;
  const [[rIn, weightIn], [rOut, weightOut]] = zeroForOne ? sides : [sides[1], sides[0]];
  return { keep: 1 - Number(state.swapFee) / 1e18, rIn, rOut, takes: rIn * 0.3, quotient: weightIn / weightOut };
}

const keptShare = ({ feePips }: PairState | ConcentratedState, zeroForOne: boolean) =>
  1 - feePips[zeroForOne ? 0 : 1] / 1e6;

function walk(state: ConcentratedState, zeroForOne: boolean): Range[] {
  const keep = keptShare(state, zeroForOne);
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
      ranges.push({ keep, rIn: size / root, rOut: size * root, takes: size / end - size / root, quotient: 1 });
    if (size > 0 && !zeroForOne)
      ranges.push({ keep, rIn: size * root, rOut: size / root, takes: size * (end - root), quotient: 1 });
    root = end;
    liquidity += zeroForOne ? -liquidityNet : liquidityNet;
  }
  return ranges;
}

/**
 * Maximum profit, in units of output, of buying input at `price` and selling it to the pool. At the optimum the marginal
 * output keep · quotient · (rOut / rIn) · (rIn / (rIn + net))^(quotient + 1) equals `price`.
 */
function profit(ranges: readonly Range[], price: number): number {
  let total = 0;
  for (const { keep, rIn, rOut, takes, quotient } of ranges) {
    const grown = ((keep * quotient * rOut) / (rIn * price)) ** (1 / (quotient + 1));
    const net = Math.min(takes, rIn * (grown - 1));
    if (!(net > 0)) break;
    total += rOut * (1 - (rIn / (rIn + net)) ** quotient) - (price * net) / keep;
    if (net < takes) break;
  }
  return total;
}

/** Prices are logarithms; tokenOut's is 0. */
function dual(arcs: readonly Arc[], prices: readonly number[], amountIn: number): number {
  let total = Math.exp(prices[0] as number) * amountIn;
  for (const { from, to, ranges } of arcs) {
    const priceTo = Math.exp(prices[to] as number);
    total += priceTo * profit(ranges, Math.exp((prices[from] as number) - (prices[to] as number)));
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
        prices[from] = Math.max(
          prices[from] as number,
          (prices[to] as number) + Math.log((first.quotient * first.rOut) / first.rIn),
        );
      }
    }
  }
  const free = prices.map((_, index) => index).filter((index) => index < count - 1 && Number.isFinite(prices[index]));
  if (!free.includes(0)) return 0;
  let lowest = dual(arcs, prices, amountIn);
  const random = seededRandom(1);
  const shifted = [...free.map((index) => [index]), free, ...pairsOf(free)];
  const axes = shifted.map((moving) => prices.map((_, index): number => (moving.includes(index) ? 1 : 0)));
  const anyDirection = () => prices.map((_, index) => (free.includes(index) ? random() * 2 - 1 : 0));
  for (let width = 4, round = 0; round < 60; round++) {
    const before = lowest;
    // Shift each price, all prices, and each pair of prices, because pools couple them. At the capacity of pools the bound has
    // edges, which only other directions follow.
    const directions = width < 1 ? [...axes, ...Array.from({ length: 4 }, anyDirection)] : axes;
    for (const direction of directions) {
      const shiftedBy = (shift: number) => prices.map((price, index) => price + shift * (direction[index] as number));
      const shift = goldenSection((each) => dual(arcs, shiftedBy(each), amountIn), -width, width);
      const value = dual(arcs, shiftedBy(shift), amountIn);
      if (value >= lowest) continue;
      lowest = value;
      prices.splice(0, count, ...shiftedBy(shift));
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
