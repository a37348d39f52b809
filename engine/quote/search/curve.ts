import { modelOf } from '../../venues/models.ts';
import { type Curve, perDirection } from '../../venues/poolModel.ts';
import type { PoolState } from '../../venues/poolTypes.ts';

/**
 * The curve of a pool; undefined for opaque pools and without liquidity. It is cached by state, so sizes, routes and
 * queries at one block share it.
 */
export const toCurve = perDirection((state: PoolState, zeroForOne: boolean): Curve | undefined => {
  const curve = modelOf(state).curve(state, zeroForOne);
  const first = curve?.slope(0) ?? 0;
  return first > 0 && Number.isFinite(first) ? curve : undefined;
});
