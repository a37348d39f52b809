import type { PoolState } from '../../pools/poolTypes.ts';

/**
 * Rough gas of one swap with its token transfers, by kind of pool, and of each initialised tick that it crosses. Only ranks
 * plans: the proof measures the gas of the chosen one.
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
