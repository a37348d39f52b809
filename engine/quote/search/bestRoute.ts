import type { FilledPlan } from './planTypes.ts';

/** A route with less gas must pay this part of the most: a wrong price of gas costs no more than the rest. */
const leastPart = { above: 99n, of: 100n };

/**
 * The route that pays most after its gas; without a price of gas, the one that pays most.
 * @param gasPrice base units of tokenOut for one unit of gas
 */
export function bestRoute<T extends Pick<FilledPlan, 'amountOut' | 'gas'>>(
  routes: readonly T[],
  gasPrice = 0,
): T | undefined {
  const most = routes.reduce((max, { amountOut }) => larger(max, amountOut), 0n);
  const near = routes.filter(({ amountOut }) => amountOut * leastPart.of >= most * leastPart.above);
  // Counted from the most, because doubles do not distinguish single units of large amounts.
  const lossOf = ({ amountOut, gas }: T) => Number(most - amountOut) + Number(gas) * gasPrice;
  return near.sort((a, b) => lossOf(a) - lossOf(b) || Number(a.gas - b.gas))[0];
}

const larger = (a: bigint, b: bigint) => (a < b ? b : a);
