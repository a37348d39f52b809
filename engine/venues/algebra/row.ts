import type { LowerAddress } from '../../lowerAddress.ts';
import { kinds, noHooks } from '../kinds.ts';
import type { Slot } from '../slot.ts';

/** Algebra v1, v1.9 and Integral: one pool for each pair (`poolByPair`), with a dynamic fee. */
export interface AlgebraRow {
  family: 'algebra';
  venue: string;
  factory: LowerAddress;
}

export function toAlgebraSlots({ family, venue, factory }: AlgebraRow): Slot[] {
  return [{ family, venue, kind: kinds.algebra, factory, fee: 0, tickSpacing: 0, hooks: noHooks }];
}
