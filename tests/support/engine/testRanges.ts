import type { WeightedState } from '../../../engine/venues/balancerV2/weighted.ts';
import type { PoolState } from '../../../engine/venues/poolTypes.ts';
import type { PairState } from '../../../engine/venues/uniswapV2/pair.ts';
import type { ConcentratedState } from '../../../engine/venues/uniswapV3/concentrated.ts';

/**
 * A range of constant liquidity. keep: 1 − fee; rIn, rOut: virtual reserves; takes: maximum input after the fee; quotient:
 * weight of the token sold by that of the token bought.
 */
export interface Range {
  keep: number;
  rIn: number;
  rOut: number;
  takes: number;
  quotient: number;
}

/** The ranges of a pool in one direction. Shares no code with the search: walks ticks by itself. */
export function rangesOf(state: PoolState, zeroForOne: boolean): Range[] {
  if (state.kind === 'pair') {
    const [rIn, rOut] = zeroForOne ? [state.reserve0, state.reserve1] : [state.reserve1, state.reserve0];
    const takes = Number.POSITIVE_INFINITY;
    return [{ keep: keptShare(state, zeroForOne), rIn: Number(rIn), rOut: Number(rOut), takes, quotient: 1 }];
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

/** Output and marginal output after `amount` of input, at most what the ranges take. */
export function paidBy(ranges: readonly Range[], amount: number): { paid: number; slope: number } {
  let left = amount;
  let paid = 0;
  let slope = 0;
  for (const { keep, rIn, rOut, takes, quotient } of ranges) {
    const net = Math.min(left * keep, takes);
    const root = rIn / (rIn + net);
    paid += rOut * (1 - root ** quotient);
    slope = (keep * quotient * rOut * root ** (quotient + 1)) / rIn;
    left -= net / keep;
    if (!(left > amount * 1e-15)) break;
  }
  return { paid, slope };
}

/** The largest input. */
export const capacityOf = (ranges: readonly Range[]): number =>
  ranges.reduce((sum, { takes, keep }) => sum + takes / keep, 0);
