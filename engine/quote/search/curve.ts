import type { ConcentratedState, PairState, PoolState, StableState } from '../../pools/poolTypes.ts';
import { weightedCurve } from './weightedCurve.ts';

/**
 * A pool in one direction, in floating point. The search compares thousands of amounts and computes only the chosen plans
 * with `swap`.
 */
export interface Curve {
  /** Output for `amountIn`; -Infinity if the pool cannot take it all. */
  pay(amountIn: number): number;
  /** Output for the next unit of input after `amountIn`; 0 if the pool takes no more. */
  slope(amountIn: number): number;
  /** Output for `amountIn`, or for the part of it that the pool takes. */
  reach(amountIn: number): number;
  /** Initialised ticks that `amountIn` crosses. */
  crossed(amountIn: number): number;
}

/** A swap across more initialised ticks than this costs more gas than a block is likely to have left. */
const maxSegments = 256;
const millionth = 1e-6;
/** v2 pairs keep reserves of 112 bits. */
const largestReserve = 2 ** 112;

/** Sizes, routes and questions about one block share a state's curves. */
const curves = new WeakMap<PoolState, { down?: Curve | undefined; up?: Curve | undefined }>();

/** The curve of a pool; undefined for opaque pools and without liquidity. */
export function toCurve(state: PoolState, zeroForOne: boolean): Curve | undefined {
  let known = curves.get(state);
  if (!known) {
    known = {};
    curves.set(state, known);
  }
  const side = zeroForOne ? 'down' : 'up';
  if (!(side in known)) known[side] = usableCurve(state, zeroForOne);
  return known[side];
}

function usableCurve(state: PoolState, zeroForOne: boolean): Curve | undefined {
  const curve = curveOf(state, zeroForOne);
  const first = curve?.slope(0) ?? 0;
  return first > 0 && Number.isFinite(first) ? curve : undefined;
}

function curveOf(state: PoolState, zeroForOne: boolean): Curve | undefined {
  if (state.kind === 'opaque') return undefined;
  if (state.kind === 'weighted') return weightedCurve(state, zeroForOne);
  const keep = 1 - (state.feePips[zeroForOne ? 0 : 1] ?? 0) * millionth;
  if (!(keep > 0 && keep <= 1)) return undefined;
  if (state.kind === 'pair') return pairCurve(state, zeroForOne, keep);
  if (state.kind === 'stable') return stableCurve(state, zeroForOne, keep);
  return new SegmentCurve(keep, concentratedSegments(state, zeroForOne));
}

function pairCurve({ reserve0, reserve1 }: PairState, zeroForOne: boolean, keep: number): Curve | undefined {
  const [rIn, rOut] = zeroForOne ? [Number(reserve0), Number(reserve1)] : [Number(reserve1), Number(reserve0)];
  if (!(rIn > 0 && rOut > 0)) return undefined;
  return new SegmentCurve(
    keep,
    [{ rIn, rOut, takes: largestReserve - rIn, pays: rOut, crossed: 0 }][Symbol.iterator](),
  );
}

/** A range of constant liquidity: a constant-product pair of virtual reserves `rIn` and `rOut` with a limited input. */
interface Segment {
  rIn: number;
  rOut: number;
  /** Maximum input after the fee. */
  takes: number;
  /** Output for all of `takes`. */
  pays: number;
  /** Initialised ticks between the current price and this range. */
  crossed: number;
}

/** Computes segments only as far as amounts reach: most swaps stay within the first. */
class SegmentCurve implements Curve {
  private readonly segments: Segment[] = [];
  /** Input after the fee, and output, at the start of each segment. */
  private readonly startIn: number[] = [0];
  private readonly startOut: number[] = [0];
  private at = 0;

  constructor(
    private readonly keep: number,
    private readonly rest: Iterator<Segment>,
  ) {
    this.extend();
  }

  pay(amountIn: number): number {
    const net = amountIn * this.keep;
    const segment = this.find(net);
    if (!segment) return Number.NEGATIVE_INFINITY;
    const within = net - (this.startIn[this.at] as number);
    return (this.startOut[this.at] as number) + (segment.rOut * within) / (segment.rIn + within);
  }

  slope(amountIn: number): number {
    const net = amountIn * this.keep;
    const segment = this.find(net);
    if (!segment) return 0;
    const grown = segment.rIn + net - (this.startIn[this.at] as number);
    return (this.keep * segment.rOut * segment.rIn) / (grown * grown);
  }

  reach(amountIn: number): number {
    const paid = this.pay(amountIn);
    return paid >= 0 ? paid : (this.startOut.at(-1) as number);
  }

  crossed(amountIn: number): number {
    return this.find(amountIn * this.keep)?.crossed ?? 0;
  }

  private find(net: number): Segment | undefined {
    while (this.at > 0 && net < (this.startIn[this.at] as number)) this.at--;
    while (net > (this.startIn[this.at + 1] as number)) {
      if (this.at + 1 === this.segments.length && !this.extend()) return undefined;
      this.at++;
    }
    return this.segments[this.at];
  }

  private extend(): boolean {
    if (this.segments.length === maxSegments) return false;
    const { value, done } = this.rest.next();
    if (done) return false;
    this.segments.push(value);
    this.startIn.push((this.startIn.at(-1) as number) + value.takes);
    this.startOut.push((this.startOut.at(-1) as number) + value.pays);
    return true;
  }
}

/** Part of the last segment that is used, so that rounding does not move an order beyond the last known tick. */
const margin = 0.999;

const halfTick = Math.log(1.0001) / 2;
const two96 = 2 ** 96;

/** The ranges from the current price on. Ends at unknown ticks or an inconsistent state. */
function* concentratedSegments(state: ConcentratedState, zeroForOne: boolean): Generator<Segment, undefined> {
  const { ticks, tick } = state;
  let price = Number(state.sqrtPriceX96) / two96;
  let liquidity = Number(state.liquidity);
  if (!(price > 0 && liquidity >= 0)) return;
  const last = zeroForOne ? state.knownFrom : state.knownTo;
  const step = zeroForOne ? -1 : 1;
  let index = firstBeyond(ticks, tick);
  if (zeroForOne) index--;
  for (let count = 0; count <= 4 * maxSegments; count++, index += step) {
    const next = ticks[index];
    const end = next?.index ?? last;
    const endPrice = Math.exp(end * halfTick);
    const moved = zeroForOne ? price - endPrice : endPrice - price;
    if (moved > 0 && liquidity > 0) {
      const across = (liquidity * moved) / (price * endPrice);
      const along = liquidity * moved;
      const keep = next ? 1 : margin;
      if (zeroForOne)
        yield {
          rIn: liquidity / price,
          rOut: liquidity * price,
          takes: across * keep,
          pays: along * keep,
          crossed: count,
        };
      else
        yield {
          rIn: liquidity * price,
          rOut: liquidity / price,
          takes: along * keep,
          pays: across * keep,
          crossed: count,
        };
    }
    if (!next) return;
    if (moved > 0) price = endPrice;
    liquidity += (zeroForOne ? -1 : 1) * Number(next.liquidityNet);
    // Rounding of doubles can leave a dust amount where the exact sum is zero.
    if (Math.abs(liquidity) < 1e-9 * Math.abs(Number(next.liquidityNet))) liquidity = 0;
    if (!(liquidity >= 0)) return;
  }
}

/** Index of the first tick above `tick`. */
function firstBeyond(ticks: ConcentratedState['ticks'], tick: number): number {
  let [low, high] = [0, ticks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ticks[middle]?.index ?? 0) <= tick) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** x³y + xy³ = k, in units of 18 decimals. */
function stableCurve(state: StableState, zeroForOne: boolean, keep: number): Curve | undefined {
  const scale0 = 1e18 / Number(state.unit0);
  const scale1 = 1e18 / Number(state.unit1);
  const [scaleIn, scaleOut] = zeroForOne ? [scale0, scale1] : [scale1, scale0];
  const x = Number(zeroForOne ? state.reserve0 : state.reserve1) * scaleIn;
  const y = Number(zeroForOne ? state.reserve1 : state.reserve0) * scaleOut;
  const k = invariant(x, y);
  if (!(k > 0 && Number.isFinite(k) && scaleIn > 0 && scaleOut > 0)) return undefined;
  const toUnits = scaleIn / scaleOut;
  const pay = (amountIn: number): number => {
    const paid = (y - solveY(x + amountIn * keep * scaleIn, k, y)) / scaleOut;
    return paid >= 0 && paid * scaleOut < y * maxDrained ? paid : Number.NEGATIVE_INFINITY;
  };
  const slope = (amountIn: number): number => {
    const grown = x + amountIn * keep * scaleIn;
    return keep * stablePrice(grown, solveY(grown, k, y)) * toUnits;
  };
  return { pay, slope, reach: pay, crossed: () => 0 };
}

/** Doubles are too imprecise for the last part of the reserve. */
const maxDrained = 0.9999;

const invariant = (x: number, y: number) => x * y * (x * x + y * y);

/** −dy/dx on the curve. */
const stablePrice = (x: number, y: number) => (3 * x * x * y + y * y * y) / (x * x * x + 3 * x * y * y);

function solveY(x: number, k: number, from: number): number {
  let y = from;
  for (let step = 0; step < 64; step++) {
    const next = y - (invariant(x, y) - k) / (x * x * x + 3 * x * y * y);
    if (Math.abs(next - y) <= 1e-15 * y) return next;
    y = next;
  }
  return y;
}
