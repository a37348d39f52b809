import { models } from '../../venues/models.ts';
import type { PoolState } from '../../venues/poolTypes.ts';

/** Gas of each initialised tick that a swap crosses. */
const tickGas = 22_000;

/** Rough gas of one swap with its token transfers. */
export const estimateGas = (kind: PoolState['kind'], ticksCrossed = 0): number =>
  models[kind].legGas + ticksCrossed * tickGas;
