import type { LowerAddress } from '../../lowerAddress.ts';
import { kinds, noHooks } from '../kinds.ts';
import type { Slot } from '../slot.ts';

/** Pools with `getAmountOut`, found by pair and curve; those of Camelot v2 by pair alone. */
export interface SolidlyRow {
  family: 'solidly';
  venue: string;
  factory: LowerAddress;
  lookUp: 'getPool(a,b,stable)' | 'getPair(a,b,stable)' | 'getPair(a,b)';
}

const kindOf = {
  'getPool(a,b,stable)': kinds.solidly,
  'getPair(a,b,stable)': kinds.solidlyPair,
  'getPair(a,b)': kinds.selfPricedPair,
} as const;

export function toSolidlySlots({ family, venue, factory, lookUp }: SolidlyRow): Slot[] {
  const curves = lookUp === 'getPair(a,b)' ? [0] : [0, 1];
  return curves.map((fee) => ({ family, venue, kind: kindOf[lookUp], factory, fee, tickSpacing: 0, hooks: noHooks }));
}
