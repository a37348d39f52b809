import type { SwapResult } from '../poolModel.ts';

/** Solidly's stable pair: x³y + y³x = k over reserves of 18 decimals. */
export interface StableState {
  kind: 'stable';
  rule: 'solidly' | 'camelot';
  reserve0: bigint;
  reserve1: bigint;
  /** 10^decimals of each token, as the pair keeps them. */
  unit0: bigint;
  unit1: bigint;
  feePips: readonly [number, number];
  /** Camelot: share of the fee that leaves the pair, in 1/100,000 (`feeInfo` of the factory). Undefined: unread, the
   * maths assumes the whole fee. */
  ownerFeeShare?: number | undefined;
}

const whole = 1_000_000n;
const one = 10n ** 18n;
const maxUint112 = (1n << 112n) - 1n;
const maxUint256 = (1n << 256n) - 1n;
const maxIterations = 255;

/** The pair's code reverts here: a number does not fit in 256 bits, or the iteration does not converge. */
class StableSwapReverts extends Error {
  override readonly name = 'StableSwapReverts';
}

/** Stable pairs: x³y + y³x = k over reserves of 18 decimals; each release has its own iteration and rounding. */
export function swapStable(
  state: StableState,
  zeroForOne: boolean,
  amountIn: bigint,
): SwapResult<StableState> | undefined {
  if (amountIn <= 0n || state.reserve0 === 0n || state.reserve1 === 0n) return undefined;
  try {
    return swapOrRevert(state, zeroForOne, amountIn);
  } catch (error) {
    if (error instanceof StableSwapReverts) return undefined;
    throw error;
  }
}

function swapOrRevert(state: StableState, zeroForOne: boolean, amountIn: bigint): SwapResult<StableState> | undefined {
  const { rule, reserve0, reserve1, unit0, unit1 } = state;
  const fee = uint(amountIn * BigInt(state.feePips[zeroForOne ? 0 : 1])) / whole;
  const net = amountIn - fee;
  const scaled = [uint(reserve0 * one) / unit0, uint(reserve1 * one) / unit1] as const;
  const [x, y] = zeroForOne ? scaled : [scaled[1], scaled[0]];
  const [unitIn, unitOut] = zeroForOne ? [unit0, unit1] : [unit1, unit0];
  const k = curve(state, reserve0, reserve1);
  const solve = rule === 'solidly' ? solveSolidly : solveCamelot;
  const paid = uint(y - solve(uint(x + uint(net * one) / unitIn), k, y, state));
  const amountOut = uint(paid * unitOut) / one;

  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0];
  if (amountOut === 0n || amountOut >= reserveOut) return undefined;
  const left = reserveOut - amountOut;
  const [counted0, counted1] = zeroForOne ? [reserveIn + net, left] : [left, reserveIn + net];
  // The pair reverts if a swap lowers k, which the rounding of its own iteration can do.
  if (curve(state, counted0, counted1) < k) return undefined;
  const after = reserveIn + amountIn - feeSentAway(state, fee);
  if (rule === 'camelot' && after > maxUint112) return undefined;
  const reserves = zeroForOne ? { reserve0: after, reserve1: left } : { reserve0: left, reserve1: after };
  return { amountOut, state: { ...state, ...reserves }, ticksCrossed: 0 };
}

/** Solidly's whole fee leaves the pair; of Camelot's only the owner's share, or all of it if that share is unread. */
function feeSentAway({ rule, ownerFeeShare }: StableState, fee: bigint): bigint {
  if (rule === 'solidly' || ownerFeeShare === undefined) return fee;
  return (fee * BigInt(ownerFeeShare)) / 100_000n;
}

function uint(value: bigint): bigint {
  if (value < 0n || value > maxUint256) throw new StableSwapReverts(`${value} does not fit in 256 bits.`);
  return value;
}

/** k, of amounts in the tokens' own units. */
function curve({ unit0, unit1 }: StableState, amount0: bigint, amount1: bigint): bigint {
  return product(uint(amount0 * one) / unit0, uint(amount1 * one) / unit1);
}

/** xy · (x² + y²). */
function product(x: bigint, y: bigint): bigint {
  const a = uint(x * y) / one;
  const b = uint(uint(x * x) / one + uint(y * y) / one);
  return uint(a * b) / one;
}

/** 3xy² + x³: the derivative of k by y. */
function slope(x: bigint, y: bigint): bigint {
  const value = uint(3n * x * (uint(y * y) / one)) / one + uint((uint(x * x) / one) * x) / one;
  if (value === 0n) throw new StableSwapReverts('Division by zero.');
  return value;
}

/** Aerodrome and Velodrome v2: the smallest y that keeps k. */
function solveSolidly(x: bigint, k: bigint, start: bigint, state: StableState): bigint {
  let y = start;
  for (let round = 0; round < maxIterations; round++) {
    const found = product(x, y);
    if (found < k) {
      let step = uint((k - found) * one) / slope(x, y);
      if (step === 0n) {
        // As deployed: the check scales by the tokens' decimals a second time.
        if (curve(state, x, y + 1n) > k) return y + 1n;
        step = 1n;
      }
      y = uint(y + step);
    } else {
      let step = uint((found - k) * one) / slope(x, y);
      if (step === 0n) {
        if (found === k || product(x, uint(y - 1n)) < k) return y;
        step = 1n;
      }
      y = uint(y - step);
    }
  }
  throw new StableSwapReverts('The iteration does not converge.');
}

/** Camelot, as the first Solidly: ends as soon as y moves by one at most, on either side of the curve. */
function solveCamelot(x: bigint, k: bigint, start: bigint): bigint {
  let y = start;
  const cubed = uint((uint(x * x) / one) * x) / one;
  for (let round = 0; round < maxIterations; round++) {
    const before = y;
    const found = uint(x * (uint((uint(y * y) / one) * y) / one)) / one + uint(cubed * y) / one;
    const step = uint((found < k ? k - found : found - k) * one) / slope(x, y);
    y = uint(found < k ? y + step : y - step);
    if ((y > before ? y - before : before - y) <= 1n) return y;
  }
  return y;
}
