import { models } from '../../venues/models.ts';
import type { PoolState } from '../../venues/poolTypes.ts';

/**
 * The most gas of a plan's swaps, by this estimate: about fifty legs. A transaction has at most 16,777,216 (EIP-7825), and its
 * router and the transfers of taxed tokens need more than the estimate.
 */
export const maxPlanGas = 6_000_000;

/** Gas of each initialised tick that a swap crosses. */
const tickGas = 22_000;

/** Rough gas of one swap with its token transfers. */
export const estimateGas = (kind: PoolState['kind'], ticksCrossed = 0): number =>
  models[kind].legGas + ticksCrossed * tickGas;
