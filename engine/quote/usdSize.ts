import type { Deployment, Slot } from '../venues/venueTypes.ts';
import type { BaseFeedReading, LensReading } from './lensReading.ts';
import type { ParsedSize } from './parseSize.ts';
import { type DecimalsOf, deepestMid } from './spot.ts';

/** How USD became tokenIn. */
export type UsdPriceSource =
  | { source: 'stable'; symbol: string }
  | { source: 'feed'; feed: string; updatedAt: number; usdPerToken: number }
  | { source: 'pool'; against: string; usdPerToken: number };

/** A survey's best price: the deepest pool against a pricing asset whose own USD price is known. */
export interface SurveyPrice {
  amountIn: bigint;
  source: UsdPriceSource;
}

/** USD to base units of tokenIn by the survey's deepest pool; undefined when no pool and pricing asset make a price. */
export function sizeBySurvey(
  reading: LensReading,
  usd: ParsedSize,
  slots: readonly Slot[],
  deployment: Deployment,
): SurveyPrice | undefined {
  const decimalsIn = reading.tokenIn.decimals;
  if (decimalsIn === undefined) return undefined;
  const decimalsOf: DecimalsOf = (token) =>
    reading.baseFeeds.find((base) => base.token.toLowerCase() === token.toLowerCase())?.tokenDecimals ?? decimalsIn;

  let deepest: { depthUsd: number; usdPerUnit: number; against: string } | undefined;
  for (const [index, pair] of reading.pairs.entries()) {
    const base = reading.baseFeeds.find(({ token }) => token === pair.tokenOut);
    const mid = deepestMid(reading, index, slots, deployment, decimalsOf);
    const usdPerBaseUnit = base && usdPerUnitOf(base, reading, deployment);
    if (!base || !mid || usdPerBaseUnit === undefined) continue;
    const depthUsd = mid.depth * usdPerBaseUnit;
    if (deepest && deepest.depthUsd >= depthUsd) continue;
    deepest = { depthUsd, usdPerUnit: mid.mid * usdPerBaseUnit, against: symbolOf(base.token, deployment) };
  }
  if (!deepest) return undefined;
  const units = Number(usd.mantissa) / 10 ** usd.scale / deepest.usdPerUnit;
  if (!Number.isFinite(units)) return undefined;
  const usdPerToken = deepest.usdPerUnit * 10 ** decimalsIn;
  return { amountIn: BigInt(Math.floor(units)), source: { source: 'pool', against: deepest.against, usdPerToken } };
}

/** Whether the chain's data call a token a USD stable; then its symbol. */
export function usdStableSymbol(token: string, { pricingAssets }: Deployment): string | undefined {
  return pricingAssets.find((base) => base.usdStable && base.address.toLowerCase() === token.toLowerCase())?.symbol;
}

function usdPerUnitOf(base: BaseFeedReading, reading: LensReading, deployment: Deployment): number | undefined {
  if (usdStableSymbol(base.token, deployment)) return 10 ** -base.tokenDecimals;
  const heartbeat = deployment.feeds[base.token.toLowerCase()]?.heartbeatSeconds;
  const trusted = reading.sequencer === 'none' || reading.sequencer === 'up';
  if (!base.read || base.answer === 0n || heartbeat === undefined || !trusted) return undefined;
  if (reading.timestamp > base.updatedAt + BigInt(heartbeat)) return undefined;
  return Number(base.answer) / 10 ** (base.decimals + base.tokenDecimals);
}

function symbolOf(token: string, { pricingAssets }: Deployment): string {
  return pricingAssets.find((base) => base.address.toLowerCase() === token.toLowerCase())?.symbol ?? token;
}
