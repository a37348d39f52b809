const q96 = 96n;
const mask96 = (1n << 96n) - 1n;
const whole = 1_000_000n;
const maxUint256 = (1n << 256n) - 1n;

const divideUp = (numerator: bigint, denominator: bigint): bigint => (numerator + denominator - 1n) / denominator;

/** Amount of token0 between two square-root prices. The pools round each of the two divisions. */
export function amount0Between(lower: bigint, upper: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const product = (liquidity << q96) * (upper - lower);
  return roundUp ? divideUp(divideUp(product, upper), lower) : product / upper / lower;
}

/** Amount of token1 between two square-root prices. */
export function amount1Between(lower: bigint, upper: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const product = liquidity * (upper - lower);
  return roundUp ? (product + mask96) >> q96 : product >> q96;
}

/** Input, fee included, and output of a swap that moves the price to `target` at constant liquidity. */
export interface FullStep {
  /** The smallest input that reaches the target. */
  amountIn: bigint;
  amountOut: bigint;
}

/** `price` and `target` are square roots as Q64.96. */
export function stepToTarget(
  price: bigint,
  target: bigint,
  liquidity: bigint,
  zeroForOne: boolean,
  feePips: bigint,
): FullStep {
  if (liquidity === 0n) return { amountIn: 0n, amountOut: 0n };
  const net = zeroForOne
    ? amount0Between(target, price, liquidity, true)
    : amount1Between(price, target, liquidity, true);
  return {
    // The pools add a fee of net · fee / (1 − fee), rounded up: the same number.
    amountIn: divideUp(net * whole, whole - feePips),
    amountOut: zeroForOne
      ? amount1Between(target, price, liquidity, false)
      : amount0Between(price, target, liquidity, false),
  };
}

/** The step that uses up `amountIn`, fee included, before the next target. */
export function stepWithin(
  price: bigint,
  liquidity: bigint,
  zeroForOne: boolean,
  amountIn: bigint,
  feePips: bigint,
): { sqrtPriceX96: bigint; amountOut: bigint } {
  const net = (amountIn * (whole - feePips)) / whole;
  if (zeroForOne) {
    const next = priceAfterToken0(price, liquidity, net);
    return { sqrtPriceX96: next, amountOut: amount1Between(next, price, liquidity, false) };
  }
  const next = price + (net << q96) / liquidity;
  return { sqrtPriceX96: next, amountOut: amount0Between(price, next, liquidity, false) };
}

function priceAfterToken0(price: bigint, liquidity: bigint, amount: bigint): bigint {
  if (amount === 0n) return price;
  const shifted = liquidity << q96;
  const product = amount * price;
  // The pools use the less precise formula if the product or the sum does not fit in 256 bits.
  if (product <= maxUint256 && shifted + product <= maxUint256) return divideUp(shifted * price, shifted + product);
  return divideUp(shifted, shifted / price + amount);
}
