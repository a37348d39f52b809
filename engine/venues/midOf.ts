import { algebraMid } from './algebra/mid.ts';
import { kinds } from './kinds.ts';
import type { Slot } from './slot.ts';
import { solidlyStableMid, solidlyVolatileMid } from './solidly/mid.ts';
import { uniswapV2Mid } from './uniswapV2/mid.ts';
import { uniswapV3Mid } from './uniswapV3/mid.ts';
import { uniswapV4Mid } from './uniswapV4/mid.ts';
import type { BandReading, Direction, Mid } from './venueTypes.ts';

/** The fee-free mid of a pool, or undefined when it has none that can be defended, or that a number can hold. */
export function midOf(slot: Slot, reading: BandReading, direction: Direction): Mid | undefined {
  const found = midByFamily(slot, reading, direction);
  // Tokens say what decimals they like: 255 of them take the curve of a stable pair out of what a double holds.
  return found && Number.isFinite(found.mid) && found.mid > 0 && Number.isFinite(found.depth) ? found : undefined;
}

function midByFamily(slot: Slot, reading: BandReading, direction: Direction): Mid | undefined {
  switch (slot.family) {
    case 'uniswap-v2':
      return uniswapV2Mid(reading);
    case 'uniswap-v3':
      return uniswapV3Mid(reading, direction);
    case 'uniswap-v4':
      return uniswapV4Mid(reading, direction);
    case 'algebra':
      return algebraMid(reading, direction);
    case 'balancer-v2':
      // The lens that measures mids does not look for its pools.
      return undefined;
    case 'solidly':
      // Camelot v2 does not say with its reserves which curve it follows.
      if (slot.kind === kinds.selfPricedPair) return undefined;
      return slot.fee === 1 ? solidlyStableMid(reading, direction) : solidlyVolatileMid(reading);
  }
}
