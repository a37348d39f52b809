import { getAddress, maxUint256 } from 'viem';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import { poolUsdPrice } from '../answer/usdPrices.ts';
import type { QuoteQuery } from '../quoteTypes.ts';
import { type ParsedSize, toBaseUnits } from './parseSize.ts';
import {
  findDispute,
  freshFeed,
  roundInFuture,
  type UsdDispute,
  type UsdPriceSource,
  usdOf,
  usdStableSymbol,
} from './usdSources.ts';

/** A size in base units and the source of its USD price; `amountIn` is 0 if it could not be converted. */
export interface OrderSize {
  amountIn: bigint;
  /** The amount before the limit of 256 bits. */
  requested: bigint;
  cut: boolean;
  overflow: boolean;
  /** Pools were searched for a USD price. */
  surveyed: boolean;
  usdSource?: UsdPriceSource | undefined;
  feedRefused: boolean;
  /** The USD price of tokenIn that its deepest pool contradicts. */
  dispute?: UsdDispute | undefined;
}

const unsized: OrderSize = {
  amountIn: 0n,
  requested: 0n,
  cut: false,
  overflow: false,
  surveyed: false,
  feedRefused: false,
};

/** USD feeds that a size needs: that of tokenIn or, if it has no fresh one, those of the pricing assets. */
export function feedsOf({ size, tokenIn }: QuoteQuery, { feeds, pricingAssets }: Deployment): LowerAddress[] {
  if (size.unit === 'token') return [];
  const tokens = [tokenIn, ...pricingAssets.map(({ address }) => address)];
  return [...new Set(tokens.flatMap((token) => feeds[token]?.address ?? []))];
}

/** Converts a size: by token, 1:1 for a USD stable, by a fresh feed, or by the deepest pool against a pricing asset. */
export function sizeOrder({ size, tokenIn }: QuoteQuery, states: StateReading, deployment: Deployment): OrderSize {
  const decimals = states.tokens[0]?.decimals;
  if (decimals === undefined || states.tokens[1]?.decimals === undefined) return unsized;
  if (size.unit === 'token') return ofUnits(toBaseUnits(size, decimals));
  const pool = priceByPool(size, tokenIn, states, deployment);
  const poolUsd = pool && pool.usdPerUnit * 10 ** decimals;
  const symbol = usdStableSymbol(tokenIn, deployment);
  if (symbol) {
    const dispute = findDispute('stable', 1, poolUsd);
    return { ...ofUnits(toBaseUnits(size, decimals)), usdSource: { source: 'stable', symbol }, dispute };
  }

  const feed = freshFeed(tokenIn, states, deployment);
  if (feed) {
    const amount = (size.mantissa * 10n ** BigInt(decimals + feed.decimals)) / feed.answer / 10n ** BigInt(size.scale);
    const usdPerToken = usdOf(feed);
    const source = {
      source: 'feed',
      feed: getAddress(feed.address),
      updatedAt: Number(feed.updatedAt),
      usdPerToken,
    } as const;
    const dispute = findDispute('feed', usdPerToken, poolUsd);
    return { ...ofUnits({ amount, cut: false }), usdSource: source, dispute };
  }
  const feedRefused = deployment.feeds[tokenIn] !== undefined;
  const early = roundInFuture(tokenIn, states, deployment);
  const dispute = early && findDispute('feed', usdOf(early), poolUsd, true);
  return { ...byPool(size, decimals, pool), surveyed: true, feedRefused, dispute };
}

function ofUnits({ amount, cut }: { amount: bigint; cut: boolean }): OrderSize {
  const overflow = amount > maxUint256;
  return { ...unsized, amountIn: overflow ? 0n : amount, requested: amount, cut, overflow };
}

type PoolPrice = ReturnType<typeof poolUsdPrice>;

/** The price of the deepest pool against a pricing asset that is a USD stable or has a fresh feed. */
function priceByPool(size: ParsedSize, tokenIn: LowerAddress, states: StateReading, deployment: Deployment): PoolPrice {
  const usd = toUsd(size);
  const usdPerAsset = ({ address, usdStable }: Deployment['pricingAssets'][number]) => {
    const feed = freshFeed(address, states, deployment);
    return usdStable ? 1 : feed && usdOf(feed);
  };
  return poolUsdPrice(tokenIn, (usdPerUnit) => usd / usdPerUnit, usdPerAsset, states.pools, deployment);
}

const toUsd = ({ mantissa, scale }: ParsedSize) => Number(mantissa) / 10 ** scale;

function byPool(size: ParsedSize, decimals: number, deepest: PoolPrice): OrderSize {
  if (!deepest) return unsized;
  const units = toUsd(size) / deepest.usdPerUnit;
  if (!Number.isFinite(units)) return unsized;
  const usdSource = {
    source: 'pool',
    against: deepest.symbol,
    usdPerToken: deepest.usdPerUnit * 10 ** decimals,
  } as const;
  return { ...ofUnits({ amount: BigInt(Math.floor(units)), cut: false }), usdSource };
}
