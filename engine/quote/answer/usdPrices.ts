import type { LowerAddress } from '../../lowerAddress.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import type { Pool } from '../../venues/poolTypes.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import { deepestOf, midsOf } from '../market/deepestMid.ts';
import { freshFeed, usdOf, usdStableSymbol } from '../query/usdSources.ts';
import type { FilledPlan } from '../search/planTypes.ts';

type PricingAsset = Deployment['pricingAssets'][number];

/**
 * USD for a base unit of a token, by the mid of its deepest pool against a pricing asset. Mids below the best output for
 * the whole amount do not count (`deepestOf`): to fake such an output, someone must buy that much above the market.
 * @param unitsAt the amount to price, at a pool's own mid
 * @param usdPerAsset USD for one whole pricing asset; undefined without a price
 */
export function poolUsdPrice(
  token: LowerAddress,
  unitsAt: (usdPerUnit: number) => number,
  usdPerAsset: (asset: PricingAsset) => number | undefined,
  pools: readonly Pool[],
  { pricingAssets }: Pick<Deployment, 'pricingAssets'>,
): { usdPerUnit: number; symbol: string } | undefined {
  const mids = pricingAssets.flatMap((asset) => {
    const usd = usdPerAsset(asset);
    if (usd === undefined) return [];
    const usdPerUnit = usd / 10 ** asset.decimals;
    return midsOf(token, asset.address, pools).map(({ mid, depth, pay }) => {
      const units = unitsAt(mid * usdPerUnit);
      const paid = Math.max(0, (pay(units) * usdPerUnit) / units);
      return { mid: mid * usdPerUnit, depth: depth * usdPerUnit, paid, symbol: asset.symbol };
    });
  });
  const deepest = deepestOf(mids, Math.max(0, ...mids.map(({ paid }) => paid)));
  return deepest && { usdPerUnit: deepest.mid, symbol: deepest.symbol };
}

/** Values of an executed plan in USD; null without a price. */
export interface PlanValues {
  gasUsd: number | null;
  valueInUsd: number | null;
  valueOutUsd: number | null;
}

/** Values of a plan by the pools at its block: gas at the block's base fee, and what is sold and bought. */
export function valuesOf(
  { plan, amountOut, gas }: FilledPlan,
  states: StateReading,
  deployment: Deployment,
): PlanValues {
  const usdOfUnits = (token: LowerAddress, units: bigint) => {
    const usdPerUnit = usdPerUnitOf(token, units, states, deployment);
    return usdPerUnit === undefined ? null : Number(units) * usdPerUnit;
  };
  return {
    gasUsd: usdOfUnits(deployment.wrappedNative, gas * states.block.baseFee),
    valueInUsd: usdOfUnits(plan.tokenIn, plan.amountIn),
    valueOutUsd: usdOfUnits(plan.tokenOut, amountOut),
  };
}

/** 1:1 for a USD stable, by a fresh feed that was read, otherwise by the deepest pool; a pricing asset without by one against a stable. */
function usdPerUnitOf(
  token: LowerAddress,
  units: bigint,
  states: StateReading,
  deployment: Deployment,
): number | undefined {
  const { pricingAssets } = deployment;
  const own = pricingAssets.find(({ address }) => address === token);
  const listed = own && listedPrice(own, states, deployment);
  if (own && listed !== undefined) return listed / 10 ** own.decimals;
  const byStable = (asset: PricingAsset) => (asset.usdStable ? 1 : undefined);
  const amount = () => Number(units);
  const usdPerAsset = (asset: PricingAsset) => {
    const price = listedPrice(asset, states, deployment);
    if (price !== undefined || own) return price;
    const whole = 10 ** asset.decimals;
    const byPool = poolUsdPrice(asset.address, () => whole, byStable, states.pools, deployment);
    return byPool && byPool.usdPerUnit * whole;
  };
  return poolUsdPrice(token, amount, usdPerAsset, states.pools, deployment)?.usdPerUnit;
}

function listedPrice({ address }: PricingAsset, states: StateReading, deployment: Deployment): number | undefined {
  if (usdStableSymbol(address, deployment)) return 1;
  const feed = freshFeed(address, states, deployment);
  return feed && usdOf(feed);
}
