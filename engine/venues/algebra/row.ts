import type { LowerAddress } from '../../lowerAddress.ts';

/** Algebra v1, v1.9 and Integral: one pool for each pair (`poolByPair`), with a dynamic fee. */
export interface AlgebraRow {
  family: 'algebra';
  venue: string;
  factory: LowerAddress;
}
