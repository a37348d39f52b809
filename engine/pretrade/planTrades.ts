import type { LensReading } from '../quote/lensReading.ts';
import { weighLiquidity } from './axes/liquidity.ts';
import { type UsdPrices, usdPricesOf } from './axes/usdPrices.ts';
import type { ExitPool, ExitReading, KnownPool } from './exit/exitTypes.ts';
import { findWhale } from './simulation/findWhale.ts';
import { type TradePlan, toTradePlan } from './simulation/planScenarios.ts';
import type { PretradeWorld, ReadOptions } from './tokenReading.ts';

/** Pools that trades are simulated in. */
const mostPlans = 3;

/** Where trades are simulated and with how much: the pools with the largest pots, at the requested size. */
export function planTrades(
  { data, holders }: PretradeWorld,
  { token, sizeUsd }: ReadOptions,
  exit: ExitReading,
  market: LensReading | undefined,
  known: readonly KnownPool[],
): TradePlan[] {
  const { deployment, slots } = data;
  const prices = usdPricesOf(exit, deployment, market && { reading: market, slots });
  const { exits } = weighLiquidity({
    token,
    reading: exit,
    slots,
    deployment,
    known,
    enumerated: { ok: true },
    listed: [],
    doubts: [],
    knownTruncated: false,
    prices,
    holders,
  });
  const plans: TradePlan[] = [];
  for (const { exit: pool, venue, potUsd } of exits) {
    if (plans.length === mostPlans) break;
    const size = sizeIn(pool, potUsd, prices, Number(sizeUsd));
    const plan = toTradePlan(token, pool, venue, size, findWhale(pool, exit, deployment.wrappedNative));
    if (plan) plans.push(plan);
  }
  return plans;
}

/** The requested size in base units of the counter-asset; where nobody knows a price, a part of the pot. */
function sizeIn(pool: ExitPool, potUsd: number | undefined, prices: UsdPrices, sizeUsd: number): bigint {
  const price = prices.get(pool.counter.toLowerCase());
  if (price) return BigInt(Math.floor(sizeUsd / price.usdPerUnit));
  return potUsd ? BigInt(Math.floor((sizeUsd * Number(pool.pot)) / potUsd)) : pool.pot / 8n;
}
