import type { Curve } from './poolModel.ts';

/** A swap across more initialised ticks than this costs more gas than a block is likely to have left. */
export const maxSegments = 256;

/** A range of constant liquidity: a constant-product pair of virtual reserves `rIn` and `rOut` with a limited input. */
export interface Segment {
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
export class SegmentCurve implements Curve {
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
