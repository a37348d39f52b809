import { type Address, parseUnits } from 'viem';
import type { ChainPlan } from '../chainPlan.ts';
import type { CreatedToken } from './createTokens.ts';

/** The counter-asset of a test token's pool. `usd` zero: worthless. */
export interface Counter {
  symbol: string;
  address: Address;
  decimals: number;
  usd: number;
}

/** Value in ether of one test token that is itself a counter-asset: its pool holds 30 ether and 800,000 tokens. */
const counterEther: Record<string, number> = { PLAIN: 30 / 800_000, JUNK: 0 };

/** @throws {TypeError} when the market has no such token. */
export function findCounter(symbol: string, plan: ChainPlan, created: readonly CreatedToken[]): Counter {
  const sold = plan.tokens.find((token) => token.symbol === symbol);
  if (sold) return { symbol, address: sold.address, decimals: sold.decimals, usd: sold.usd };
  const token = created.find(({ definition }) => definition.symbol === symbol);
  const ether = counterEther[symbol];
  if (!token || ether === undefined) throw new TypeError(`No test token is the counter-asset ${symbol}.`);
  return { symbol, address: token.address, decimals: token.decimals, usd: ether * findCounter('WETH', plan, []).usd };
}

const tradeUsd = 1000;
/** Whole units of a worthless counter-asset that stand for a trade. */
const worthlessTrade = '10000';

/** The raw amount of a counter-asset that is worth 1,000 USD. */
export function tradeAmount({ usd, decimals }: Counter): bigint {
  return parseUnits(usd === 0 ? worthlessTrade : (tradeUsd / usd).toFixed(6), decimals);
}
