import { type AnyCase, lowerAddresses } from '../lowerAddress.ts';
import { toAlgebraSlots } from './algebra/row.ts';
import type { Slot } from './slot.ts';
import { toSolidlySlots } from './solidly/row.ts';
import { toUniswapV2Slots } from './uniswapV2/row.ts';
import { toUniswapV3Slots } from './uniswapV3/row.ts';
import { toUniswapV4Slots, type V4PoolShape } from './uniswapV4/row.ts';
import type { VenueRow } from './venueTypes.ts';

/**
 * All places where a pool of a pair may be, in the order the lens is asked. `extraShapes` join every v4 row.
 * No place twice: one pool seen as two would confirm itself, and be offered as a split.
 */
export function toSlots(
  venues: readonly AnyCase<VenueRow>[],
  extraShapes: readonly AnyCase<V4PoolShape>[] = [],
): Slot[] {
  const shapes = lowerAddresses<readonly V4PoolShape[]>(extraShapes);
  const slots = lowerAddresses<readonly VenueRow[]>(venues).flatMap((row) => toSlotsOf(row, shapes));
  return [...new Map(slots.map((slot) => [placeOf(slot), slot])).values()];
}

function placeOf({ kind, factory, fee, tickSpacing, hooks }: Slot): string {
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
      // No factory finds its pools by their tokens.
      return [];
  }
}
