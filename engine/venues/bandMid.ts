import { families } from './families.ts';
import type { Slot } from './slot.ts';
import type { BandReading, Direction, Mid } from './venueTypes.ts';

/** The fee-free mid of a pool; undefined if it has no reliable one or if it exceeds a double. */
export function bandMidOf(slot: Slot, reading: BandReading, direction: Direction): Mid | undefined {
  const found = families[slot.family].bandMid(reading, direction, slot);
  // A token may report 255 decimals, for which the curve of a stable pair exceeds a double.
  return found && Number.isFinite(found.mid) && found.mid > 0 && Number.isFinite(found.depth) ? found : undefined;
}
