import { type Hex, padHex, sliceHex } from 'viem';
import type { LowerAddress } from '../lowerAddress.ts';
import { kinds } from '../venues/kinds.ts';
import type { PoolRef } from './poolTypes.ts';

const isWeighted = ({ slot }: PoolRef) => slot.kind === kinds.weighted;

/** The pool's address; of a singleton's pool its id. Pairs of a weighted pool share it: a swap of one changes the others. */
export const contractOf = (ref: PoolRef): Hex => (isWeighted(ref) ? (ref.id.slice(0, 42) as Hex) : ref.id);

/** What the lens gets as a leg's hooks: of a weighted pool the 12 bytes of its id that follow the address. */
export const hooksOf = ({ slot, weighted }: PoolRef): LowerAddress =>
  weighted ? (padHex(sliceHex(weighted.poolId, 20), { size: 20 }) as LowerAddress) : slot.hooks;

/** Whether two of these are different pairs of one pool. */
export function sharesPool(refs: readonly PoolRef[]): boolean {
  const weighted = refs.filter(isWeighted);
  return new Set(weighted.map(contractOf)).size < new Set(weighted.map(({ id }) => id)).size;
}
