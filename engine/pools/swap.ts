import { swapConcentrated } from './concentrated.ts';
import { swapPair } from './pair.ts';
import type { Swap } from './poolTypes.ts';
import { swapStable } from './stable.ts';
import { swapWeighted } from './weighted.ts';

export const swap: Swap = (state, zeroForOne, amountIn) => {
  switch (state.kind) {
    case 'pair':
      return swapPair(state, zeroForOne, amountIn);
    case 'stable':
      return swapStable(state, zeroForOne, amountIn);
    case 'concentrated':
      return swapConcentrated(state, zeroForOne, amountIn);
    case 'weighted':
      return swapWeighted(state, zeroForOne, amountIn);
    case 'opaque':
      return undefined;
    default:
      return state satisfies never;
  }
};
