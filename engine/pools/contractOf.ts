import { type Hex, padHex, sliceHex } from 'viem';
import type { LowerAddress } from '../lowerAddress.ts';
import { kinds } from '../venues/kinds.ts';
import type { PoolRef } from './poolTypes.ts';

const isWeighted = ({ slot }: PoolRef) => slot.kind === kinds.weighted;

/** The pool's address, or a singleton pool's id. Pairs of a weighted pool share it: a swap of one changes the others. */
export const contractOf = (ref: PoolRef): Hex => (isWeighted(ref) ? (ref.id.slice(0, 42) as Hex) : ref.id);

/** A leg's `hooks` in calls of the lens: for a weighted pool, the 12 bytes of its id after the address. */
export const hooksOf = ({ slot, weighted }: PoolRef): LowerAddress =>
  weighted ? (padHex(sliceHex(weighted.poolId, 20), { size: 20 }) as LowerAddress) : slot.hooks;

/** Whether two of the refs are different pairs of one weighted pool. */
export function sharesPool(refs: readonly PoolRef[]): boolean {
  const weighted = refs.filter(isWeighted);
  return new Set(weighted.map(contractOf)).size < new Set(weighted.map(({ id }) => id)).size;
}
