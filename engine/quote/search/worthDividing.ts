import type { FilledPlan } from './planTypes.ts';

const leastGainBps = 5n;

/**
 * Whether a divided order pays over 5 bps more than the best single route, and more than its extra gas.
 * @param gasPrice base units of tokenOut for one unit of gas; undefined without a price of the native coin
 */
export function isWorthDividing(
  divided: Pick<FilledPlan, 'amountOut' | 'gas'>,
  single: Pick<FilledPlan, 'amountOut' | 'gas'> | undefined,
  gasPrice = 0,
): boolean {
  if (!single) return true;
  const gain = divided.amountOut - single.amountOut;
  if (gain * 10_000n <= single.amountOut * leastGainBps) return false;
  return Number(gain) > Number(divided.gas - single.gas) * gasPrice;
}
