export const minTick = -887_272;
export const maxTick = 887_272;
/** Square-root prices of the outermost ticks, as Q64.96. */
export const minSqrtPrice = 4_295_128_739n;
export const maxSqrtPrice = 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n;

const allOnes = (1n << 256n) - 1n;

/** 2^128 / 1.0001^(2^i / 2), as TickMath of Uniswap v3 has them: the factor of bit i of the tick. */
const factors = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
] as const;

/** Computing a price takes about 20 multiplications, and swaps read the same ticks repeatedly. */
const remembered = new Map<number, bigint>();
const maxRemembered = 65_536;

/** Square root of 1.0001^tick as Q64.96, equal to the pools' result. */
export function sqrtPriceAtTick(tick: number): bigint {
  const known = remembered.get(tick);
  if (known !== undefined) return known;
  const price = computeSqrtPrice(tick);
  if (remembered.size >= maxRemembered) remembered.clear();
  remembered.set(tick, price);
  return price;
}

function computeSqrtPrice(tick: number): bigint {
  const bits = Math.abs(tick);
  if (bits > maxTick) throw new RangeError(`Tick must lie between ${minTick} and ${maxTick}, got ${tick}.`);
  let ratio = 1n << 128n;
  for (let bit = 0; bit < factors.length; bit++) {
    if (bits & (1 << bit)) ratio = (ratio * (factors[bit] as bigint)) >> 128n;
  }
  if (tick > 0) ratio = allOnes / ratio;
  return (ratio + 0xffffffffn) >> 32n;
}

const logOfTickRoot = Math.log(1.0001) / 2;
const logOf96 = 96 * Math.LN2;
/** Upper bound of the estimate's error in ticks, including the rounding of the lowest prices. */
const estimateError = 1e-4;

/** The greatest tick whose price is at most `sqrtPriceX96`. */
export function tickAtSqrtPrice(sqrtPriceX96: bigint): number {
  if (sqrtPriceX96 < minSqrtPrice || sqrtPriceX96 >= maxSqrtPrice) {
    throw new RangeError(`The square-root price ${sqrtPriceX96} lies outside the range of ticks.`);
  }
  const estimate = (Math.log(Number(sqrtPriceX96)) - logOf96) / logOfTickRoot;
  const tick = Math.floor(estimate);
  const beyond = estimate - tick;
  if (beyond > estimateError && beyond < 1 - estimateError) return tick;
  const nearest = Math.round(estimate);
  return sqrtPriceAtTick(nearest) <= sqrtPriceX96 ? nearest : nearest - 1;
}
