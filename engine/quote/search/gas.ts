import type { PoolState } from '../../pools/poolTypes.ts';

/**
 * Gas of one swap with its token transfers, by the pool's maths, and of each initialised tick that it crosses. Typical
 * values for ranking; the proof measures the plan that is chosen.
 */
const legGas: Record<PoolState['kind'], number> = {
  pair: 85_000,
  stable: 120_000,
  concentrated: 110_000,
  weighted: 150_000,
  opaque: 180_000,
};
const tickGas = 22_000;

export const estimateGas = (kind: PoolState['kind'], ticksCrossed = 0): number => legGas[kind] + ticksCrossed * tickGas;
