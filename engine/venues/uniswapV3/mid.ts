import type { BandReading, Direction, Mid } from '../venueTypes.ts';

/** Mid from the square-root price; undefined without liquidity within 1 % of it, because no trade happens at that price. */
export function uniswapV3Mid({ price, bandOut }: BandReading, { zeroForOne }: Direction): Mid | undefined {
  if (price === 0n || bandOut === 0n) return undefined;
  const root = Number(price) / 2 ** 96;
  return { mid: zeroForOne ? root * root : 1 / (root * root), depth: Number(bandOut) };
}
