import { type Address, parseUnits } from 'viem';
import type { ChainPlan } from '../chainPlan.ts';
import type { CreatedToken } from './createTokens.ts';

/** The counter-asset of a test token's pool. `usd`: price in USD; 0 for a worthless asset. */
export interface CounterAsset {
  symbol: string;
  address: Address;
  decimals: number;
  usd: number;
}

/** Price in ether of test tokens that are counter-assets. The pool of PLAIN holds 30 ether and 800,000 tokens. */
const counterEther: Record<string, number> = { PLAIN: 30 / 800_000, JUNK: 0 };

/** @throws {TypeError} neither the market nor the test tokens contain this symbol */
export function findCounterAsset(symbol: string, plan: ChainPlan, created: readonly CreatedToken[]): CounterAsset {
  const listed = plan.tokens.find((token) => token.symbol === symbol);
  if (listed) return { symbol, address: listed.address, decimals: listed.decimals, usd: listed.usd };
  const token = created.find(({ definition }) => definition.symbol === symbol);
  const ether = counterEther[symbol];
  if (!token || ether === undefined) throw new TypeError(`No token or test token is the counter-asset ${symbol}.`);
  return {
    symbol,
    address: token.address,
    decimals: token.decimals,
    usd: ether * findCounterAsset('WETH', plan, []).usd,
  };
}

const tradeUsd = 1000;
/** Amount of a worthless counter-asset in a trade, in whole units. */
const worthlessTrade = '10000';

/** The amount of a counter-asset that is worth 1,000 USD. Base units. */
export function tradeAmount({ usd, decimals }: CounterAsset): bigint {
  return parseUnits(usd === 0 ? worthlessTrade : (tradeUsd / usd).toFixed(6), decimals);
}
