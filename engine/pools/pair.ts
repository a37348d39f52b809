import type { PairState, SwapResult } from './poolTypes.ts';

const whole = 1_000_000n;
const maxUint112 = (1n << 112n) - 1n;
const maxUint256 = (1n << 256n) - 1n;

/**
 * Constant-product pairs. Uniswap v2 and Camelot keep the fee in the reserve and round once; Solidly rounds the fee down,
 * transfers it out of the pair, and rounds the output again.
 */
export function swapPair(state: PairState, zeroForOne: boolean, amountIn: bigint): SwapResult | undefined {
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
function toResult(state: PairState, zeroForOne: boolean, amountOut: bigint, after: bigint): SwapResult | undefined {
  if (amountOut === 0n) return undefined;
  const reserves = zeroForOne
    ? { reserve0: after, reserve1: state.reserve1 - amountOut }
    : { reserve0: state.reserve0 - amountOut, reserve1: after };
  return { amountOut, state: { ...state, ...reserves }, ticksCrossed: 0 };
}
