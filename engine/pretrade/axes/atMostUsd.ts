import type { LowerAddress } from '../../lowerAddress.ts';
import type { ExitPool } from '../exit/exitTypes.ts';
import type { ReachValue } from '../reach/reachValue.ts';
import type { UsdPrices } from './usdPrices.ts';

/**
 * Upper bound in USD of what sales of any size can draw from these pools; null if it is unknown. An asset without a price
 * counts as what the whole amount in the pools could draw through its own market.
 */
export function atMostUsd(exits: readonly ExitPool[], prices: UsdPrices, reach: ReachValue | undefined): number | null {
  let sum = 0;
  const unpriced = new Map<LowerAddress, number>();
  for (const { counter, most, drawn, status } of exits) {
    if (most === undefined || status === 'unread' || status === 'not-requested') return null;
    const price = prices.get(counter);
    if (price) sum += Number(most) * price.usdPerUnit;
    else if (most > 0n || drawn > 0n) unpriced.set(counter, (unpriced.get(counter) ?? 0) + Number(most));
  }
  for (const [counter, amount] of unpriced) {
    const usd = reach?.most(counter, amount);
    if (usd === undefined) return null;
    sum += usd;
  }
  return Number.isFinite(sum) ? sum : null;
}
