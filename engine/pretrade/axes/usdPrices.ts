import type { LensReading } from '../../quote/lensReading.ts';
import { deepestMid } from '../../quote/spot.ts';
import { usdStableSymbol } from '../../quote/usdSize.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import type { BaseReading, ExitReading } from '../exit/exitTypes.ts';

/** USD for one base unit of an asset, and the source of the price. */
interface UsdPrice {
  usdPerUnit: number;
  source: 'stable' | 'feed' | 'pool';
}

/** The reading of the quote from the stable, which contains the pools stable -> base. */
interface Quoted {
  reading: LensReading;
  candidatePools: readonly CandidatePool[];
}

/** By lower-case address. An asset without a known price is absent. */
export type UsdPrices = Map<string, UsdPrice>;

/** If a feed and the pools differ by more than this factor, one of them is wrong and neither is used. */
const maxRatio = 1.25;

/**
 * Prices of the base assets: 1:1 for USD stables, else a fresh feed with the sequencer up, else the mid of the deepest
 * pool against the quote's stable. An asset whose feed and pool contradict each other has no price: a wrong price would
 * make ample exit liquidity look drained, or drained liquidity look ample.
 */
export function usdPricesOf(reading: ExitReading, deployment: Deployment, quoted: Quoted | undefined): UsdPrices {
  const prices: UsdPrices = new Map();
  for (const base of reading.bases) {
    const price =
      stablePrice(base, deployment) ??
      agreed(feedPrice(base, reading, deployment), poolPrice(base, deployment, quoted));
    if (price) prices.set(base.token, price);
  }
  return prices;
}

/** One sentence for each feed that the pools contradict. */
export function feedDoubts(reading: ExitReading, deployment: Deployment, quoted: Quoted | undefined): string[] {
  return reading.bases.flatMap((base) => {
    if (stablePrice(base, deployment)) return [];
    const [feed, pool] = [feedPrice(base, reading, deployment), poolPrice(base, deployment, quoted)];
    if (!feed || !pool || agreed(feed, pool)) return [];
    const name = deployment.pricingAssets.find(({ address }) => address === base.token)?.symbol;
    const ratio = (feed.usdPerUnit / pool.usdPerUnit).toPrecision(3);
    return [`The price feed of ${name ?? base.token} reports ${ratio} times the price in its pools; neither is used.`];
  });
}

function agreed(feed: UsdPrice | undefined, pool: UsdPrice | undefined): UsdPrice | undefined {
  if (!feed || !pool) return feed ?? pool;
  const ratio = feed.usdPerUnit / pool.usdPerUnit;
  return ratio > maxRatio || ratio < 1 / maxRatio ? undefined : feed;
}

function stablePrice({ token, tokenDecimals }: BaseReading, deployment: Deployment): UsdPrice | undefined {
  if (tokenDecimals === undefined || !usdStableSymbol(token, deployment)) return undefined;
  return { usdPerUnit: 10 ** -tokenDecimals, source: 'stable' };
}

function feedPrice(base: BaseReading, reading: ExitReading, { feeds }: Deployment): UsdPrice | undefined {
  const heartbeat = feeds[base.token]?.heartbeatSeconds;
  const trusted = reading.sequencer === 'none' || reading.sequencer === 'up';
  if (!base.read || base.answer === 0n || heartbeat === undefined || base.tokenDecimals === undefined) return undefined;
  if (!trusted || reading.timestamp > base.updatedAt + BigInt(heartbeat)) return undefined;
  return { usdPerUnit: Number(base.answer) / 10 ** (base.decimals + base.tokenDecimals), source: 'feed' };
}

function poolPrice(
  { token, tokenDecimals }: BaseReading,
  deployment: Deployment,
  quoted: Quoted | undefined,
): UsdPrice | undefined {
  if (!quoted || tokenDecimals === undefined) return undefined;
  const { reading, candidatePools } = quoted;
  const stable = reading.pairs[0]?.tokenIn;
  const stableDecimals = reading.tokenIn.decimals;
  const index = reading.pairs.findIndex((pair) => pair.tokenIn === stable && pair.tokenOut === token);
  if (stable === undefined || stableDecimals === undefined || index < 0) return undefined;
  const decimalsOf = (asset: string) => (asset === stable ? stableDecimals : tokenDecimals);
  const mid = deepestMid(reading, index, candidatePools, deployment, decimalsOf);
  if (!mid || mid.mid === 0) return undefined;
  return { usdPerUnit: 10 ** -stableDecimals / mid.mid, source: 'pool' };
}
