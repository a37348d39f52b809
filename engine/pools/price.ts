import { nextLiquidPrice, swapToPrice } from './concentrated.ts';
import type { PairState, PoolState, StableState, WeightedState } from './poolTypes.ts';

// Prices are base units of tokenOut for one base unit of tokenIn. They rank pools and plan sizes; `swap` is exact.

const onePercentLower = 0.99;
const x96 = 2 ** 96;

/**
 * Fee-free marginal price, and the output until it falls by 1 %. Undefined if that output is zero, because an empty range
 * has no mid.
 */
export function midOf(state: PoolState, zeroForOne: boolean): { mid: number; depth: bigint } | undefined {
  const mid = feeFreePrice(state, zeroForOne);
  const depth = depthWithinOnePercent(state, zeroForOne);
  return mid !== undefined && depth > 0n ? { mid, depth } : undefined;
}

/** Output for the next unit of input, after the fee. In a gap without liquidity, the price beyond the gap. */
export function marginalPrice(state: PoolState, zeroForOne: boolean): number | undefined {
  if (state.kind === 'opaque') return undefined;
  if (state.kind !== 'concentrated') return scaled(feeFreePrice(state, zeroForOne), keptShare(state, zeroForOne));
  const root = nextLiquidPrice(state, zeroForOne);
  return root === undefined ? undefined : scaled(priceOfRoot(root, zeroForOne), keptShare(state, zeroForOne));
}

/** States do not change, and each question compares the depths of its pools several times. */
const depths = new WeakMap<PoolState, { down?: bigint; up?: bigint }>();

/** Output until the price falls by 1 %, in base units; a lower bound if ticks of a concentrated pool were not read. */
export function depthWithinOnePercent(state: PoolState, zeroForOne: boolean): bigint {
  let known = depths.get(state);
  if (!known) {
    known = {};
    depths.set(state, known);
  }
  const side = zeroForOne ? 'down' : 'up';
  known[side] ??= computeDepth(state, zeroForOne);
  return known[side];
}

function computeDepth(state: PoolState, zeroForOne: boolean): bigint {
  const mid = feeFreePrice(state, zeroForOne);
  if (mid === undefined || state.kind === 'opaque') return 0n;
  if (state.kind === 'concentrated') {
    return swapToPrice(state, zeroForOne, rootOfPrice(mid * onePercentLower, zeroForOne)).amountOut;
  }
  if (state.kind === 'weighted') {
    const { heldOut, quotient } = weightedSides(state, zeroForOne);
    return toUnits(heldOut - heldOut * onePercentLower ** (quotient / (quotient + 1)));
  }
  const { reserveOut } = reservesOf(state, zeroForOne);
  if (state.kind === 'pair') return toUnits(Number(reserveOut) * (1 - Math.sqrt(onePercentLower)));
  const { x, y, unitOut } = wholeTokens(state, zeroForOne);
  const { ratio, x: after } = stableAt(x, y, curvePrice(y / x) * onePercentLower);
  return toUnits(Math.max(0, y - ratio * after) * unitOut);
}

/**
 * Approximate input until the marginal price after the fee falls to `price`; 0 if it is already lower. For planning splits:
 * the size is rounded, and `swap` computes the output.
 */
export function inputToPrice(state: PoolState, zeroForOne: boolean, price: number): bigint {
  const now = marginalPrice(state, zeroForOne);
  if (now === undefined || state.kind === 'opaque' || !(price < now) || price <= 0) return 0n;
  const kept = keptShare(state, zeroForOne);
  if (state.kind === 'concentrated')
    return swapToPrice(state, zeroForOne, rootOfPrice(price / kept, zeroForOne)).amountIn;
  if (state.kind === 'weighted') {
    const { held, heldOut, quotient } = weightedSides(state, zeroForOne);
    const after = held * ((kept * heldOut * quotient) / held / price) ** (1 / (quotient + 1));
    return toUnits((after - held) / kept);
  }
  const { reserveIn, reserveOut } = reservesOf(state, zeroForOne);
  if (state.kind === 'pair') {
    const after = Math.sqrt((Number(reserveIn) * Number(reserveOut) * kept) / price);
    return toUnits((after - Number(reserveIn)) / kept);
  }
  const { x, y, unitIn, unitOut } = wholeTokens(state, zeroForOne);
  const { x: after } = stableAt(x, y, ((price / kept) * unitIn) / unitOut);
  return toUnits(((after - x) * unitIn) / kept);
}

function feeFreePrice(state: PoolState, zeroForOne: boolean): number | undefined {
  switch (state.kind) {
    case 'pair': {
      const { reserveIn, reserveOut } = reservesOf(state, zeroForOne);
      return usable(Number(reserveOut) / Number(reserveIn));
    }
    case 'weighted': {
      const { held, heldOut, quotient } = weightedSides(state, zeroForOne);
      return usable((heldOut * quotient) / held);
    }
    case 'stable': {
      const { x, y, unitIn, unitOut } = wholeTokens(state, zeroForOne);
      return usable((curvePrice(y / x) * unitOut) / unitIn);
    }
    case 'concentrated':
      return priceOfRoot(state.sqrtPriceX96, zeroForOne);
    case 'opaque':
      return undefined;
  }
}

const usable = (price: number) => (Number.isFinite(price) && price > 0 ? price : undefined);
const scaled = (price: number | undefined, share: number) => (price === undefined ? undefined : usable(price * share));
const toUnits = (amount: number) => (Number.isFinite(amount) && amount > 0 ? BigInt(Math.floor(amount)) : 0n);

type Curved = Exclude<PoolState, { kind: 'opaque' }>;
const keptShare = (state: Curved, zeroForOne: boolean) =>
  state.kind === 'weighted' ? 1 - Number(state.swapFee) / 1e18 : 1 - state.feePips[zeroForOne ? 0 : 1] / 1e6;

function priceOfRoot(sqrtPriceX96: bigint, zeroForOne: boolean): number | undefined {
  const root = Number(sqrtPriceX96) / x96;
  return usable(zeroForOne ? root * root : 1 / (root * root));
}

function rootOfPrice(price: number, zeroForOne: boolean): bigint {
  return toUnits((zeroForOne ? Math.sqrt(price) : 1 / Math.sqrt(price)) * x96);
}

/** Balances, and the weight of the token sold divided by the weight of the token bought. */
export function weightedSides({ balance0, balance1, weight0, weight1 }: WeightedState, zeroForOne: boolean) {
  const [held, heldOut] = zeroForOne ? [balance0, balance1] : [balance1, balance0];
  const quotient = Number(weight0) / Number(weight1);
  return { held: Number(held), heldOut: Number(heldOut), quotient: zeroForOne ? quotient : 1 / quotient };
}

function reservesOf({ reserve0, reserve1 }: PairState | StableState, zeroForOne: boolean) {
  return zeroForOne ? { reserveIn: reserve0, reserveOut: reserve1 } : { reserveIn: reserve1, reserveOut: reserve0 };
}

function wholeTokens(state: StableState, zeroForOne: boolean) {
  const { reserveIn, reserveOut } = reservesOf(state, zeroForOne);
  const units = [Number(state.unit0), Number(state.unit1)] as const;
  const [unitIn, unitOut] = zeroForOne ? units : ([units[1], units[0]] as const);
  return { x: Number(reserveIn) / unitIn, y: Number(reserveOut) / unitOut, unitIn, unitOut };
}

/** −dy/dx of x³y + xy³ = k, by the ratio y/x. */
const curvePrice = (ratio: number) => (3 * ratio + ratio ** 3) / (1 + 3 * ratio ** 2);

/** The point of the curve through (x, y) with `price`, at most the current one: x'⁴ / x⁴ = r(1 + r²) / (r'(1 + r'²)). */
function stableAt(x: number, y: number, price: number): { ratio: number; x: number } {
  const start = y / x;
  let [low, high] = [0, start];
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2;
    if (curvePrice(middle) < price) low = middle;
    else high = middle;
  }
  const ratio = (low + high) / 2;
  return { ratio, x: x * ((start * (1 + start ** 2)) / (ratio * (1 + ratio ** 2))) ** 0.25 };
}
