import { modelOf } from './models.ts';
import type { SwapResult } from './poolModel.ts';
import type { PoolState } from './poolTypes.ts';

/** Sells `amountIn` base units into a pool (`PoolModel.swap`). */
export const swap = (state: PoolState, zeroForOne: boolean, amountIn: bigint): SwapResult<PoolState> | undefined =>
  modelOf(state).swap(state, zeroForOne, amountIn);
