import { weightedModel } from './balancerV2/weightedModel.ts';
import { opaqueModel } from './opaque.ts';
import type { PoolModel } from './poolModel.ts';
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
