import { type AnyCase, lowerAddresses } from '../lowerAddress.ts';
import { toAlgebraSlots } from './algebra/row.ts';
import type { Slot } from './slot.ts';
import { toSolidlySlots } from './solidly/row.ts';
import { toUniswapV2Slots } from './uniswapV2/row.ts';
import { toUniswapV3Slots } from './uniswapV3/row.ts';
import { toUniswapV4Slots, type V4PoolShape } from './uniswapV4/row.ts';
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
  const slots = lowerAddresses<readonly VenueRow[]>(venues).flatMap((row) => toSlotsOf(row, shapes));
  return [...new Map(slots.map((slot) => [keyOf(slot), slot])).values()];
}

function keyOf({ kind, factory, fee, tickSpacing, hooks }: Slot): string {
  return [kind, factory, fee, tickSpacing, hooks].join();
}

function toSlotsOf(row: VenueRow, extraShapes: readonly V4PoolShape[]): Slot[] {
  switch (row.family) {
    case 'uniswap-v2':
      return toUniswapV2Slots(row);
    case 'uniswap-v3':
      return toUniswapV3Slots(row);
    case 'uniswap-v4':
      return toUniswapV4Slots({ ...row, shapes: [...row.shapes, ...extraShapes] });
    case 'solidly':
      return toSolidlySlots(row);
    case 'algebra':
      return toAlgebraSlots(row);
    case 'balancer-v2':
      // Its factories have no lookup by tokens.
      return [];
  }
}
