import { weightedModel } from './balancerV2/weightedModel.ts';
import { opaqueModel } from './opaque.ts';
import type { PoolModel, SwapResult } from './poolModel.ts';
import type { PoolState } from './poolTypes.ts';
import { stableModel } from './solidly/stableModel.ts';
import { pairModel } from './uniswapV2/pair.ts';
import { concentratedModel } from './uniswapV3/concentratedModel.ts';

/** The maths of each kind of state. A family with maths of its own adds a line here and its state to `PoolState`. */
export const models: { readonly [Kind in PoolState['kind']]: PoolModel<Extract<PoolState, { kind: Kind }>> } = {
  pair: pairModel,
  stable: stableModel,
  concentrated: concentratedModel,
  weighted: weightedModel,
  opaque: opaqueModel,
};

/**
 * The maths of a state, for this state only. TypeScript cannot relate a model to the `kind` that selects it; the type of
 * `models` ensures that each one belongs to its kind.
 */
export const modelOf = (state: PoolState): PoolModel<PoolState> => models[state.kind];

/** Sells `amountIn` base units into a pool (`PoolModel.swap`). */
export const swap = (state: PoolState, zeroForOne: boolean, amountIn: bigint): SwapResult<PoolState> | undefined =>
  modelOf(state).swap(state, zeroForOne, amountIn);

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
