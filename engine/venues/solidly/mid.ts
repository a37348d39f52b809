import { uniswapV2Mid } from '../uniswapV2/mid.ts';
import type { BandReading, Direction, Mid } from '../venueTypes.ts';

export const solidlyVolatileMid = uniswapV2Mid;

/**
 * Mid of the curve x³y + xy³ = k, in whole tokens: with r = y/x the price −dy/dx is (3r + r³)/(1 + 3r²).
 * The depth follows the curve to the point where that price is 1 % lower; there
 * x'⁴/x⁴ = r(1 + r²) / (r'(1 + r'²)).
 */
export function solidlyStableMid(
  { price: reserveIn, reserveOut }: BandReading,
  { decimalsIn, decimalsOut }: Direction,
): Mid | undefined {
  if (reserveIn === 0n || reserveOut === 0n) return undefined;
  const x = Number(reserveIn) / 10 ** decimalsIn;
  const y = Number(reserveOut) / 10 ** decimalsOut;
  const ratio = y / x;
  const price = priceAt(ratio);
  const lower = ratioAt(price * 0.99, ratio);
  const x2 = x * ((ratio * (1 + ratio ** 2)) / (lower * (1 + lower ** 2))) ** 0.25;
  const yielded = Math.max(0, y - lower * x2);
  return { mid: price * 10 ** (decimalsOut - decimalsIn), depth: yielded * 10 ** decimalsOut };
}

const priceAt = (ratio: number) => (3 * ratio + ratio ** 3) / (1 + 3 * ratio ** 2);

/** The ratio below `from` at which the curve's price is `price`; the price rises with the ratio. */
function ratioAt(price: number, from: number): number {
  let [low, high] = [0, from];
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2;
    if (priceAt(middle) < price) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
