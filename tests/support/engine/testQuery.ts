import type { SearchQuery } from '../../../engine/quote/search/searchPlan.ts';
import type { Pool } from '../../../engine/venues/poolTypes.ts';
import { type TestToken, testTokens } from './testMarket.ts';

const { USDC, WETH, AERO, DAI } = testTokens;
/** Tokens that routes may pass through. */
const routingTokens = [WETH, USDC, AERO, DAI].map(({ address }) => address);

/** 0.02 gwei, paid in WETH. */
const gasPriceIn = ({ usd, decimals }: TestToken) => ((0.02e-9 * WETH.usd) / usd) * 10 ** decimals;
export const unitsOf = (usd: number, token: TestToken) =>
  BigInt(Math.round((usd / token.usd) * 1e6)) * 10n ** BigInt(token.decimals - 6);

/** A query that sells `usd` US dollars of `from`. */
export function toSearchQuery(pools: readonly Pool[], from: TestToken, to: TestToken, usd: number): SearchQuery {
  const [tokenIn, tokenOut] = [from.address, to.address];
  return { pools, tokenIn, tokenOut, amountIn: unitsOf(usd, from), routingTokens, gasPrice: gasPriceIn(to) };
}
