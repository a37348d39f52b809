import type { Curve } from './poolModel.ts';

/** One executed swap of a pool, in base units. */
export interface Sample {
  amountIn: number;
  amountOut: number;
}

/** Points of the curve between two samples. */
const pointsBetween = 16;
/** Integers round an output by up to one unit at each step of a swap. */
const roundingUnits = 4;
/** A sample may lie this part below the line between its neighbours. */
const maxDip = 2e-4;

/**
 * A monotone concave curve through executed swaps, piecewise linear. Between two samples it follows a constant-product
 * range through both, which is exact for one range of liquidity. Beyond the last sample the pool pays no more.
 * @returns undefined if the price does not fall with the amount: such samples predict no other size
 */
export function toSampledCurve(samples: readonly Sample[]): Curve | undefined {
  const sorted = [...samples].sort((a, b) => a.amountIn - b.amountIn || a.amountOut - b.amountOut);
  const known = sorted.filter(({ amountIn }, at) => amountIn !== sorted[at + 1]?.amountIn);
  if (!known.every((_, at) => isConcaveAt(known, at))) return undefined;
  const hull = concaveHull(toRanges(known).flatMap(pointsOf));
  return hull.length > 1 ? new SampledCurve(hull) : undefined;
}

const origin: Sample = { amountIn: 0, amountOut: 0 };

/** Whether a sample pays at least the line between its neighbours, and more than the smaller one. */
function isConcaveAt(known: readonly Sample[], at: number): boolean {
  const [before, sample, after] = [known[at - 1] ?? origin, known[at] as Sample, known[at + 1]];
  const least = sample.amountOut * (1 + maxDip) + roundingUnits;
  return least >= before.amountOut && (!after || least >= lineBetween(before, after, sample.amountIn));
}

function lineBetween(a: Sample, b: Sample, amountIn: number): number {
  return a.amountOut + ((b.amountOut - a.amountOut) * (amountIn - a.amountIn)) / (b.amountIn - a.amountIn);
}

/** Two neighbouring samples, and lines through them that no point between them exceeds. */
interface Range {
  from: Sample;
  to: Sample;
  /** `amountIn / amountOut` at zero, and what each unit adds: a constant-product range pays the average price of this line. */
  first: number;
  perUnit: number;
  fromSlope: number;
  toSlope: number;
}

function toRanges(known: readonly Sample[]): Range[] {
  const ranges = known.map((to, at): Range => {
    const from = known[at - 1] ?? origin;
    // From zero to the first sample, the range of the second one goes on.
    const [low, high] = at > 0 ? [from, to] : [to, known[1] ?? to];
    const rise = high === low ? 0 : (costOf(high) - costOf(low)) / (high.amountIn - low.amountIn);
    // If the pool pays no more beyond the first sample, the line would give a price without bound at zero.
    const most = at > 0 ? Number.POSITIVE_INFINITY : costOf(low) / (2 * low.amountIn);
    const perUnit = Math.min(Math.max(0, rise), most);
    const first = costOf(low) - perUnit * low.amountIn;
    return { from, to, first, perUnit, fromSlope: Number.POSITIVE_INFINITY, toSlope: 0 };
  });
  for (const [at, range] of ranges.entries()) {
    const next = ranges[at + 1];
    if (!next) continue;
    const [low, high] = [chordOf(next), chordOf(range)];
    const slope = (range.first + next.first) / 2 / costOf(range.to) ** 2;
    range.toSlope = next.fromSlope = Math.min(high, Math.max(low, slope));
  }
  return ranges;
}

const costOf = ({ amountIn, amountOut }: Sample) => amountIn / Math.max(amountOut, Number.MIN_VALUE);

const chordOf = ({ from, to }: Range) => (to.amountOut - from.amountOut) / (to.amountIn - from.amountIn);

function pointsOf({ from, to, first, perUnit, fromSlope, toSlope }: Range): Sample[] {
  return Array.from({ length: pointsBetween }, (_, point) => {
    if (point === pointsBetween - 1) return to;
    const amountIn = from.amountIn + ((to.amountIn - from.amountIn) * (point + 1)) / pointsBetween;
    const most = Math.min(
      from.amountOut + fromSlope * (amountIn - from.amountIn),
      to.amountOut - toSlope * (to.amountIn - amountIn),
    );
    return { amountIn, amountOut: Math.min(most, amountIn / (first + perUnit * amountIn)) };
  });
}

/** The points on the upper concave hull, from the origin on. */
function concaveHull(points: readonly Sample[]): Sample[] {
  const hull: Sample[] = [origin];
  for (const point of points) {
    while (hull.length > 1) {
      const [before, last] = [hull.at(-2) as Sample, hull.at(-1) as Sample];
      if (last.amountOut > lineBetween(before, point, last.amountIn)) break;
      hull.pop();
    }
    if (point.amountOut > (hull.at(-1) as Sample).amountOut) hull.push(point);
  }
  return hull;
}

class SampledCurve implements Curve {
  private at = 0;

  constructor(private readonly points: readonly Sample[]) {}

  pay(amountIn: number): number {
    const [from, to] = this.find(amountIn);
    return to ? lineBetween(from, to, amountIn) : from.amountOut;
  }

  slope(amountIn: number): number {
    const [from, to] = this.find(amountIn);
    return to ? (to.amountOut - from.amountOut) / (to.amountIn - from.amountIn) : 0;
  }

  reach(amountIn: number): number {
    return this.pay(amountIn);
  }

  crossed(): number {
    return 0;
  }

  /** The points around an amount; one if it lies beyond the last. */
  private find(amountIn: number): [Sample, Sample | undefined] {
    const { points } = this;
    while (this.at > 0 && amountIn < (points[this.at] as Sample).amountIn) this.at--;
    while (this.at < points.length - 1 && amountIn >= (points[this.at + 1] as Sample).amountIn) this.at++;
    return [points[this.at] as Sample, points[this.at + 1]];
  }
}
