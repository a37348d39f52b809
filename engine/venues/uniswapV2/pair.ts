import { type PoolModel, perDirection, type SwapResult } from '../poolModel.ts';
import { keptShare, onePercentLower, toUnits, usablePrice } from '../priceMaths.ts';
import { SegmentCurve } from '../segmentCurve.ts';

/** Reserves of a constant-product pair: Uniswap v2 and its forks, Camelot's pairs, Solidly's volatile pairs. */
export interface PairState {
  kind: 'pair';
  /** How the pair rounds: Solidly deducts the fee, rounded down, before the formula; the others round once (`swap`). */
  rule: 'uniswap-v2' | 'camelot' | 'solidly';
  reserve0: bigint;
  reserve1: bigint;
  /** Millionths of the input: when token0 is sold, when token1 is sold. */
  feePips: readonly [number, number];
}

const whole = 1_000_000n;
const maxUint112 = (1n << 112n) - 1n;
const maxUint256 = (1n << 256n) - 1n;
/** v2 pairs keep reserves of 112 bits. */
const largestReserve = 2 ** 112;

/**
 * Constant-product pairs. Uniswap v2 and Camelot keep the fee in the reserve and round once; Solidly rounds the fee down,
 * transfers it out of the pair, and rounds the output again.
 */
function swap(state: PairState, zeroForOne: boolean, amountIn: bigint): SwapResult<PairState> | undefined {
  const { rule, reserve0, reserve1, feePips } = state;
  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0];
  if (amountIn <= 0n || reserveIn === 0n || reserveOut === 0n) return undefined;
  const fee = BigInt(feePips[zeroForOne ? 0 : 1]);
  if (rule === 'solidly') {
    const net = amountIn - (amountIn * fee) / whole;
    const after = reserveIn + net;
    const amountOut = (net * reserveOut) / after;
    if (net * reserveOut > maxUint256 || after * reserveOut > maxUint256) return undefined;
    return toResult(state, zeroForOne, amountOut, after);
  }
  const after = reserveIn + amountIn;
  if (after > maxUint112) return undefined;
  const net = amountIn * (whole - fee);
  return toResult(state, zeroForOne, (net * reserveOut) / (reserveIn * whole + net), after);
}

/** The pairs revert when the output is 0. */
function toResult(
  state: PairState,
  zeroForOne: boolean,
  amountOut: bigint,
  after: bigint,
): SwapResult<PairState> | undefined {
  if (amountOut === 0n) return undefined;
  const reserves = zeroForOne
    ? { reserve0: after, reserve1: state.reserve1 - amountOut }
    : { reserve0: state.reserve0 - amountOut, reserve1: after };
  return { amountOut, state: { ...state, ...reserves }, ticksCrossed: 0 };
}

const sidesOf = ({ reserve0, reserve1 }: PairState, zeroForOne: boolean) =>
  zeroForOne
    ? { held: Number(reserve0), heldOut: Number(reserve1) }
    : { held: Number(reserve1), heldOut: Number(reserve0) };

function priceOf(state: PairState, zeroForOne: boolean): number | undefined {
  const { held, heldOut } = sidesOf(state, zeroForOne);
  return usablePrice(heldOut / held);
}

/** x · y = k. */
export const pairModel: PoolModel<PairState> = {
  swap,
  price: priceOf,
  depth: perDirection((state, zeroForOne) => {
    if (priceOf(state, zeroForOne) === undefined) return 0n;
    return toUnits(sidesOf(state, zeroForOne).heldOut * (1 - Math.sqrt(onePercentLower)));
  }),
  curve(state, zeroForOne) {
    const keep = keptShare(state.feePips, zeroForOne);
    const { held: rIn, heldOut: rOut } = sidesOf(state, zeroForOne);
    if (keep === undefined || !(rIn > 0 && rOut > 0)) return undefined;
    const segments = [{ rIn, rOut, takes: largestReserve - rIn, pays: rOut, crossed: 0 }];
    return new SegmentCurve(keep, segments[Symbol.iterator]());
  },
  legGas: 85_000,
};
