import { modelOf } from './models.ts';
import type { PoolState } from './poolTypes.ts';

/**
 * Fee-free marginal price, and the output until it falls by 1 %. Undefined if that output is zero, because an empty range
 * has no mid.
 */
export function midOf(state: PoolState, zeroForOne: boolean): { mid: number; depth: bigint } | undefined {
  const model = modelOf(state);
  const mid = model.price(state, zeroForOne);
  const depth = model.depth(state, zeroForOne);
  return mid !== undefined && depth > 0n ? { mid, depth } : undefined;
}

/** Output until the price falls by 1 % (`PoolModel.depth`). */
export const depthWithinOnePercent = (state: PoolState, zeroForOne: boolean): bigint =>
  modelOf(state).depth(state, zeroForOne);
