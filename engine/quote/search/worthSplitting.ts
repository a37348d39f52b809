import type { FilledPlan } from './planTypes.ts';

/** An order is split only for a larger gain than this. */
export const splitGainBps = 5n;

/**
 * Whether a split pays over 5 bps more than the best single route, and more than its extra gas.
 * @param gasPrice base units of tokenOut for one unit of gas; by default 0: without a price of the native coin, gas does
 *   not count
 * @param leastGainBps replaces the 5 bps
 */
export function isWorthSplitting(
  split: Pick<FilledPlan, 'amountOut' | 'gas'>,
  single: Pick<FilledPlan, 'amountOut' | 'gas'> | undefined,
  gasPrice = 0,
  leastGainBps = splitGainBps,
): boolean {
  if (!single) return true;
  const gain = split.amountOut - single.amountOut;
  if (gain * 10_000n <= single.amountOut * leastGainBps) return false;
  return Number(gain) > Number(split.gas - single.gas) * gasPrice;
}

/** Removing legs can raise the output by up to this much, because the remaining legs are then rebalanced. */
const rebalanceGainBps = 0.5;

/** False if a split cannot gain enough. `amountOut` is its output before legs are removed. */
export function canBeWorthSplitting(
  amountOut: number,
  single: Pick<FilledPlan, 'amountOut'> | undefined,
  leastGainBps = splitGainBps,
): boolean {
  return !single || amountOut >= Number(single.amountOut) * (1 + (Number(leastGainBps) - rebalanceGainBps) / 10_000);
}
