import type { FilledPlan } from './planTypes.ts';

/** A split must pay over this much more than the best single route, after the cost of its extra gas. */
export const netGainBps = 1n;
/** Without a price of the native coin that cost is unknown; then a split must pay over this much more. */
const unpricedGainBps = 5n;

const leastGainBps = (gasPrice: number | undefined) => (gasPrice === undefined ? unpricedGainBps : netGainBps);

/**
 * Whether a split pays over 1 bp more than the best single route after its extra gas; over 5 bps more without a gas price.
 * @param gasPrice base units of tokenOut for one unit of gas; undefined without a price of the native coin
 */
export function isWorthSplitting(
  split: Pick<FilledPlan, 'amountOut' | 'gas'>,
  single: Pick<FilledPlan, 'amountOut' | 'gas'> | undefined,
  gasPrice: number | undefined,
): boolean {
  if (!single) return true;
  const gain = (split.amountOut - single.amountOut) * 10_000n - single.amountOut * leastGainBps(gasPrice);
  const extraGas = Math.max(0, Number(split.gas - single.gas));
  return Number(gain) > extraGas * (gasPrice ?? 0) * 10_000;
}

/** Removing legs can raise the output by up to this much, because the remaining legs are then rebalanced. */
const rebalanceGainBps = 0.5;

/** False if a split cannot gain enough. `amountOut` is its output before legs are removed. */
export function canBeWorthSplitting(
  amountOut: number,
  single: Pick<FilledPlan, 'amountOut'> | undefined,
  gasPrice: number | undefined,
): boolean {
  const leastBps = Number(leastGainBps(gasPrice)) - rebalanceGainBps;
  return !single || amountOut >= Number(single.amountOut) * (1 + leastBps / 10_000);
}
