import type { LowerAddress } from '../../lowerAddress.ts';

/** Pools with `getAmountOut`, found by pair and curve; those of Camelot v2 by pair alone. */
export interface SolidlyRow {
  family: 'solidly';
  venue: string;
  factory: LowerAddress;
  lookUp: 'getPool(a,b,stable)' | 'getPair(a,b,stable)' | 'getPair(a,b)';
}
