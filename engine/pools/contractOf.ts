import type { Hex } from 'viem';
import { families } from '../venues/families.ts';
import type { PoolRef } from '../venues/poolTypes.ts';
import type { PoolAddresses } from '../venues/venueFamily.ts';

export const addressesOf = ({ candidatePool }: PoolRef): PoolAddresses => families[candidatePool.family].addresses;

/** The pool's address, or a singleton pool's id. Pairs of a weighted pool share it: a swap of one changes the others. */
export const contractOf = (ref: PoolRef): Hex => addressesOf(ref).contractOf(ref);

/** Whether two of the refs are different pairs of one pool. */
export function sharesPool(refs: readonly PoolRef[]): boolean {
  const pairs = new Map(refs.map((ref) => [ref.id, contractOf(ref)]));
  return new Set(pairs.values()).size < pairs.size;
}
