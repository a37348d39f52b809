import type { Market } from '../market/market.ts';
import type { ExecutedPlan } from '../plan/choosePlan.ts';
import type { Fill } from '../plan/executionTypes.ts';
import type { QuoteAnswer } from '../quoteTypes.ts';
import { priceOf, ratio } from './ratio.ts';

export type Prices = Pick<
  QuoteAnswer,
  'executablePrice' | 'spotPrice' | 'priceImpactBps' | 'worstCaseSlippageBps' | 'depthAtSize'
>;

interface Decimals {
  in: number;
  out: number;
}

/** Prices of an executed plan, in whole tokens. */
export function measurePrices(
  { amountIn }: Market['size'],
  { mid, depth }: Pick<ExecutedPlan, 'mid' | 'depth'>,
  { amountOut, secondAmountOut = 0n }: Fill,
  decimals: Decimals,
): Prices {
  const executablePrice = priceOf(amountIn, amountOut, decimals);
  const spotPrice = mid === undefined ? null : toSpot(mid, decimals);
  const belowBps = (price: number) => (spotPrice === null ? null : (1 - price / spotPrice) * 10_000);
  return {
    executablePrice,
    spotPrice,
    priceImpactBps: belowBps(executablePrice),
    // An identical order right after this one; one that does not fill loses everything.
    worstCaseSlippageBps: belowBps(priceOf(amountIn, secondAmountOut, decimals)),
    depthAtSize: ratio(depth, 10n ** BigInt(decimals.in)),
  };
}

/** A mid in base units as a price of whole tokens. */
function toSpot(mid: number, decimals: Decimals): number | null {
  const price = mid * 10 ** (decimals.in - decimals.out);
  return Number.isFinite(price) && price > 0 ? price : null;
}
