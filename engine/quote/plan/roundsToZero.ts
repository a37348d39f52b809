import type { ChainData } from '../chainData.ts';
import type { Search } from '../market/marketMemory.ts';
import { searchFor } from './searchFor.ts';

/** Factor and number of the larger orders that show whether the output of an order rounds to zero. */
const [largerFactor, maxLarger] = [1_000n, 8];

/** Whether no route pays a base unit of tokenOut, but one pays for a larger order. */
export function roundsToZero(data: ChainData, { states, order, result }: Search): boolean {
  if (result.single) return false;
  let { amountIn } = order;
  for (let count = 0; count < maxLarger; count++) {
    amountIn *= largerFactor;
    if (searchFor(data, states, { ...order, amountIn }).single) return true;
  }
  return false;
}
