import { modelOf } from '../venues/models.ts';
import type { SwapResult } from '../venues/poolModel.ts';
import type { PoolState } from '../venues/poolTypes.ts';

/** Sells `amountIn` base units into a pool (`PoolModel.swap`). */
export const swap = (state: PoolState, zeroForOne: boolean, amountIn: bigint): SwapResult<PoolState> | undefined =>
  modelOf(state).swap(state, zeroForOne, amountIn);
