import { type Curve, type PoolModel, perDirection } from '../poolModel.ts';
import { keptShare, onePercentLower, toUnits, usablePrice } from '../priceMaths.ts';
import { type StableState, swapStable } from './stable.ts';

/** x³y + xy³ = k. Prices and depths are in whole tokens, curves in units of 18 decimals. */
export const stableModel: PoolModel<StableState> = {
  swap: swapStable,
  price: priceOf,
  depth: perDirection((state, zeroForOne) => {
    if (priceOf(state, zeroForOne) === undefined) return 0n;
    const { x, y, unitOut } = wholeTokens(state, zeroForOne);
    return toUnits(stableDepth(x, y) * unitOut);
  }),
  curve(state, zeroForOne) {
    const keep = keptShare(state.feePips, zeroForOne);
    return keep === undefined ? undefined : stableCurve(state, zeroForOne, keep);
  },
  legGas: 120_000,
};

function priceOf(state: StableState, zeroForOne: boolean): number | undefined {
  const { x, y, unitIn, unitOut } = wholeTokens(state, zeroForOne);
  return usablePrice((priceAt(y / x) * unitOut) / unitIn);
}

function wholeTokens({ reserve0, reserve1, unit0, unit1 }: StableState, zeroForOne: boolean) {
  const units = [Number(unit0), Number(unit1)] as const;
  const [unitIn, unitOut] = zeroForOne ? units : ([units[1], units[0]] as const);
  const [held, heldOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0];
  return { x: Number(held) / unitIn, y: Number(heldOut) / unitOut, unitIn, unitOut };
}

/** −dy/dx by the ratio r = y/x: (3r + r³)/(1 + 3r²). */
export const priceAt = (ratio: number) => (3 * ratio + ratio ** 3) / (1 + 3 * ratio ** 2);

/**
 * Output until the price falls by 1 %, from reserves x and y in whole tokens. Where the ratio is r', the reserve of the
 * token sold is x', with x'⁴ / x⁴ = r(1 + r²) / (r'(1 + r'²)).
 */
export function stableDepth(x: number, y: number): number {
  const ratio = y / x;
  const price = priceAt(ratio) * onePercentLower;
  let [low, high] = [0, ratio];
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2;
    if (priceAt(middle) < price) low = middle;
    else high = middle;
  }
  const lower = (low + high) / 2;
  const after = x * ((ratio * (1 + ratio ** 2)) / (lower * (1 + lower ** 2))) ** 0.25;
  return Math.max(0, y - lower * after);
}

/** x³y + xy³ = k, in units of 18 decimals. */
function stableCurve(state: StableState, zeroForOne: boolean, keep: number): Curve | undefined {
  const scale0 = 1e18 / Number(state.unit0);
  const scale1 = 1e18 / Number(state.unit1);
  const [scaleIn, scaleOut] = zeroForOne ? [scale0, scale1] : [scale1, scale0];
  const x = Number(zeroForOne ? state.reserve0 : state.reserve1) * scaleIn;
  const y = Number(zeroForOne ? state.reserve1 : state.reserve0) * scaleOut;
  const k = invariant(x, y);
  if (!(k > 0 && Number.isFinite(k))) return undefined;
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
