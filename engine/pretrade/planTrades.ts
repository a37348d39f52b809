import type { LensReading } from '../quote/lensReading.ts';
import { kinds } from '../venues/kinds.ts';
import { weighLiquidity } from './axes/liquidity.ts';
import { type UsdPrices, usdPricesOf } from './axes/usdPrices.ts';
import type { ExitPool, ExitReading, KnownPool } from './exit/exitTypes.ts';
import { findWhale } from './simulation/findWhale.ts';
import { type TradePlan, toTradePlan } from './simulation/planScenarios.ts';
import type { PretradeWorld, ReadOptions } from './tokenReading.ts';
import { drainedShare } from './verdict.ts';

/** Pools that trades are simulated in. */
const mostPlans = 3;

/** Where trades are simulated and with how much: the pools with the largest exit liquidity, at the requested size. */
export function planTrades(
  world: PretradeWorld,
  options: ReadOptions,
  exit: ExitReading,
  market: LensReading | undefined,
  known: readonly KnownPool[],
): TradePlan[] {
  const { token, sizeUsd } = options;
  const { deployment } = world.data;
  const { finding, prices } = weighPools(world, options, exit, market, known);
  const { exits } = finding;
  const plans: TradePlan[] = [];
  for (const { exit: pool, venue, drawnUsd } of exits) {
    if (plans.length === mostPlans) break;
    // Ether itself changes hands there: what becomes of the wrapped token is not seen.
    if (pool.kind === kinds.v4Native && token.toLowerCase() === deployment.wrappedNative.toLowerCase()) continue;
    const size = sizeIn(pool, drawnUsd, prices, Number(sizeUsd));
    const plan = toTradePlan(token, pool, venue, size, findWhale(pool, exit, deployment.wrappedNative));
    if (plan) plans.push(plan);
  }
  return plans;
}

/**
 * Whether the measured exit liquidity is below the threshold while a concentrated pool may pay more below the price at
 * which its sale stopped. Only then is the whole price range read.
 */
export function needsBound(...question: Parameters<typeof weighPools>): boolean {
  const [, { sizeUsd }, exit] = question;
  const { measuredUsd, complete } = weighPools(...question).finding;
  return complete && measuredUsd < Number(sizeUsd) * drainedShare && exit.exits.some(({ most }) => most === undefined);
}

/** Whether the measured exit liquidity is below the threshold of a verdict. */
export function isThin(...question: Parameters<typeof weighPools>): boolean {
  const [, { sizeUsd }] = question;
  return weighPools(...question).finding.measuredUsd < Number(sizeUsd) * drainedShare;
}

function weighPools(
  { data, holders }: PretradeWorld,
  { token, sizeUsd }: ReadOptions,
  exit: ExitReading,
  market: LensReading | undefined,
  known: readonly KnownPool[],
) {
  const { deployment, slots } = data;
  const prices = usdPricesOf(exit, deployment, market && { reading: market, slots });
  const finding = weighLiquidity({
    token,
    sizeUsd: Number(sizeUsd),
    reading: exit,
    slots,
    deployment,
    known,
    enumerated: { ok: true },
    listed: [],
    doubts: [],
    dropped: [],
    creationsTruncated: false,
    prices,
    holders,
  });
  return { finding, prices };
}

/** The requested size in base units of the counter-asset; without a price, a part of the exit liquidity. */
function sizeIn(pool: ExitPool, drawnUsd: number | undefined, prices: UsdPrices, sizeUsd: number): bigint {
  const price = prices.get(pool.counter.toLowerCase());
  if (price) return BigInt(Math.floor(sizeUsd / price.usdPerUnit));
  return drawnUsd ? BigInt(Math.floor((sizeUsd * Number(pool.drawn)) / drawnUsd)) : pool.drawn / 8n;
}

/** The same pool, and within a tenth the same amount. */
export const isAsPlanned = (plan: TradePlan, best: TradePlan) =>
  samePool(plan.pool, best.pool) && plan.spend * 10n >= best.spend * 9n && best.spend * 10n >= plan.spend * 9n;

const samePool = (a: TradePlan['pool'], b: TradePlan['pool']) =>
  a.pool === b.pool &&
  a.counter === b.counter &&
  a.fee === b.fee &&
  a.tickSpacing === b.tickSpacing &&
  a.hooks === b.hooks;
