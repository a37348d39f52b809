import type { LowerAddress } from '../lowerAddress.ts';
import type { MarketRead } from '../quote/market/prepareMarket.ts';
import { kinds } from '../venues/kinds.ts';
import { weighLiquidity } from './axes/liquidity.ts';
import type { LiquidityFinding } from './axes/liquidityTypes.ts';
import { type UsdPrices, usdPricesOf } from './axes/usdPrices.ts';
import type { ExitPool, ExitReading, LoggedPool } from './exit/exitTypes.ts';
import { poolKey } from './exit/splitListed.ts';
import { toTradePlan } from './simulation/planScenarios.ts';
import type { TradePlan } from './simulation/simulationTypes.ts';
import type { PretradeEnvironment, ReadOptions } from './tokenReading.ts';
import { drainedShare } from './verdict.ts';

/** Maximum number of pools in which trades are simulated. */
const maxPlans = 3;

/** Pools of one reading with their exit liquidity, from which trades and further reads are planned. */
export interface WeighedPools {
  exit: ExitReading;
  finding: LiquidityFinding;
  prices: UsdPrices;
}

/** Plans trades in the pools with the largest exit liquidity, at the requested size. */
export function planTrades(
  { data }: PretradeEnvironment,
  { token, sizeUsd }: ReadOptions,
  { exit, finding, prices }: WeighedPools,
): TradePlan[] {
  const { deployment } = data;
  const plans: TradePlan[] = [];
  const isSizeKnown = finding.exits.some(({ drawnUsd }) => drawnUsd);
  for (const { exit: pool, venue, drawnUsd } of finding.exits) {
    if (plans.length === maxPlans) break;
    // Such a pool pays in ether itself, so a trade there does not test the wrapped token.
    if (pool.kind === kinds.v4Native && token === deployment.wrappedNative) continue;
    // Without a price the amount is not the requested one. The best plan has it if any pool has a price.
    if (plans.length === 0 && isSizeKnown && !drawnUsd && !prices.has(pool.counter)) continue;
    const size = sizeIn(pool, drawnUsd, prices, Number(sizeUsd));
    const funder = findFunder(pool, exit, deployment.wrappedNative);
    const nativeOf = (spend: bigint) => toNative(spend, { pool, drawnUsd }, prices, deployment.wrappedNative);
    const plan = toTradePlan(token, pool, venue, size, funder, nativeOf);
    if (plan) plans.push(plan);
  }
  return plans;
}

/** Whether the measured exit liquidity is below the threshold of a verdict. */
export const isThin = ({ finding }: WeighedPools, { sizeUsd }: ReadOptions): boolean =>
  finding.measuredUsd < Number(sizeUsd) * drainedShare;

export function weighPools(
  { data, holders }: PretradeEnvironment,
  { token, sizeUsd }: ReadOptions,
  exit: ExitReading,
  market: MarketRead | undefined,
  known: readonly LoggedPool[],
): WeighedPools {
  const { deployment, candidatePools } = data;
  const prices = usdPricesOf(exit, deployment, market);
  const finding = weighLiquidity({
    token,
    sizeUsd: Number(sizeUsd),
    reading: exit,
    candidatePools,
    deployment,
    known,
    listed: [],
    doubts: [],
    dropped: [],
    enumerated: { ok: true },
    creationsTruncated: false,
    prices,
    holders,
  });
  return { exit, finding, prices };
}

/** The requested size in base units of the counter-asset; without a price, a part of the exit liquidity. */
function sizeIn(pool: ExitPool, drawnUsd: number | undefined, prices: UsdPrices, sizeUsd: number): bigint {
  const price = prices.get(pool.counter);
  if (price) return BigInt(Math.floor(sizeUsd / price.usdPerUnit));
  return drawnUsd ? BigInt(Math.floor((sizeUsd * Number(pool.drawn)) / drawnUsd)) : pool.drawn / 8n;
}

/** Whether the best plan differs from all earlier ones: another pool, or an amount that differs by more than 10 %. */
export const hasMoved = (earlier: readonly TradePlan[], [best]: readonly TradePlan[]): boolean =>
  best !== undefined &&
  !earlier.some(({ pool, spend }) => poolKey(pool) === poolKey(best.pool) && isNear(spend, best.spend));

const isNear = (a: bigint, b: bigint) => a * 10n >= b * 9n && b * 10n >= a * 9n;

/** The native coin that is worth an amount of the counter-asset; null if one of the prices is unknown. */
function toNative(
  spend: bigint,
  { pool, drawnUsd }: { pool: ExitPool; drawnUsd: number | undefined },
  prices: UsdPrices,
  wrapped: LowerAddress,
): TradePlan['native'] {
  const [unit, native] = [prices.get(pool.counter)?.usdPerUnit, prices.get(wrapped)?.usdPerUnit];
  const usdPerUnit = unit ?? (drawnUsd ? drawnUsd / Number(pool.drawn) : undefined);
  if (!usdPerUnit || !native) return null;
  const amount = BigInt(Math.floor((Number(spend) * usdPerUnit) / native));
  return amount === 0n ? null : { amount, wrapped };
}

/**
 * The account that provides the counter-asset of a simulated purchase; null if that is the wrapped native token, which the
 * buyer's native coin pays. Another pool of the asset if one is known: a payment by the traded pool moves its price.
 */
function findFunder(pool: ExitPool, { exits, hops }: ExitReading, wrapped: LowerAddress): LowerAddress | null {
  if (pool.counter === wrapped) return null;
  const others = hops
    .filter(({ exit, received }) => received > 0n && exits[exit] && exits[exit].counter === pool.counter)
    .map((hop) => hop.pool);
  return others.find((other) => other !== pool.pool) ?? pool.pool;
}
