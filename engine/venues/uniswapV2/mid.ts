import type { BandReading, Mid } from '../venueTypes.ts';

/** 1 − √0.99: the part of a reserve that leaves while the price of x·y=k falls 1 %. */
const bandShare = 1 - Math.sqrt(0.99);

/** Mid of a constant-product pair from its reserves; undefined when a side is empty. */
export function uniswapV2Mid({ price, reserveOut }: BandReading): Mid | undefined {
  if (price === 0n || reserveOut === 0n) return undefined;
  return { mid: Number(reserveOut) / Number(price), depth: Number(reserveOut) * bandShare };
}
