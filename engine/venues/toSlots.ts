import { type AnyCase, lowerAddresses } from '../lowerAddress.ts';
import { families } from './families.ts';
import type { Slot } from './slot.ts';
import type { V4PoolShape } from './uniswapV4/row.ts';
import type { VenueRow } from './venueTypes.ts';

/**
 * All candidate pools of a pair, in the order of the lens's look-ups. `extraShapes` are added to every v4 row. Each slot
 * occurs once: a pool that is read twice would confirm its own price, and a split would sell to it twice.
 */
export function toSlots(
  venues: readonly AnyCase<VenueRow>[],
  extraShapes: readonly AnyCase<V4PoolShape>[] = [],
): Slot[] {
  const shapes = lowerAddresses<readonly V4PoolShape[]>(extraShapes);
  const slots = lowerAddresses<readonly VenueRow[]>(venues).flatMap((row) => families[row.family].toSlots(row, shapes));
  return [...new Map(slots.map((slot) => [keyOf(slot), slot])).values()];
}

function keyOf({ kind, factory, fee, tickSpacing, hooks }: Slot): string {
  return [kind, factory, fee, tickSpacing, hooks].join();
}
