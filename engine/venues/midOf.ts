import { algebraMid } from './algebra/mid.ts';
import { kinds } from './kinds.ts';
import type { Slot, VenueFamily } from './slot.ts';
import { solidlyStableMid, solidlyVolatileMid } from './solidly/mid.ts';
import { uniswapV2Mid } from './uniswapV2/mid.ts';
import { uniswapV3Mid } from './uniswapV3/mid.ts';
import { uniswapV4Mid } from './uniswapV4/mid.ts';
import type { BandReading, Direction, Mid } from './venueTypes.ts';

/** The fee-free mid of a pool; undefined if it has no reliable one or if it exceeds a double. */
export function midOf(slot: Slot, reading: BandReading, direction: Direction): Mid | undefined {
  const found = mids[slot.family](reading, direction, slot);
  // A token may report 255 decimals, for which the curve of a stable pair exceeds a double.
  return found && Number.isFinite(found.mid) && found.mid > 0 && Number.isFinite(found.depth) ? found : undefined;
}

const mids: Record<VenueFamily, (reading: BandReading, direction: Direction, slot: Slot) => Mid | undefined> = {
  'uniswap-v2': uniswapV2Mid,
  'uniswap-v3': uniswapV3Mid,
  'uniswap-v4': uniswapV4Mid,
  algebra: algebraMid,
  // The lens that measures mids does not search weighted pools.
  'balancer-v2': () => undefined,
  solidly(reading, direction, { kind, fee }) {
    // The reserves of a Camelot v2 pair do not show which curve it uses.
    if (kind === kinds.selfPricedPair) return undefined;
    return fee === 1 ? solidlyStableMid(reading, direction) : solidlyVolatileMid(reading);
  },
};
