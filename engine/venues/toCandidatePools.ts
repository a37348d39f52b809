import { type AnyCase, lowerAddresses } from '../lowerAddress.ts';
import type { CandidatePool } from './candidatePool.ts';
import { families } from './families.ts';
import type { V4PoolShape } from './uniswapV4/row.ts';
import type { VenueRow } from './venueTypes.ts';

/**
 * All candidate pools of a pair, in the order of the lens's look-ups. `extraShapes` are added to every v4 row. Each occurs once:
 * a pool that is read twice would confirm its own price, and a split would sell to it twice.
 */
export function toCandidatePools(
  venues: readonly AnyCase<VenueRow>[],
  extraShapes: readonly AnyCase<V4PoolShape>[] = [],
): CandidatePool[] {
  const shapes = lowerAddresses<readonly V4PoolShape[]>(extraShapes);
  const candidatePools = lowerAddresses<readonly VenueRow[]>(venues).flatMap((row) =>
    families[row.family].toCandidatePools(row, shapes),
  );
  return [...new Map(candidatePools.map((candidatePool) => [keyOf(candidatePool), candidatePool])).values()];
}

function keyOf({ kind, factory, fee, tickSpacing, hooks }: CandidatePool): string {
  return [kind, factory, fee, tickSpacing, hooks].join();
}
