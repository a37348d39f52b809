import { getAddress } from 'viem';
import type { LowerAddress } from '../lowerAddress.ts';
import type { StateReading } from '../pools/decodeStates.ts';
import type { FeedReading } from '../pools/feedReading.ts';
import type { Deployment } from '../venues/venueTypes.ts';
import { deepestOf, midsOf } from './deepestMid.ts';
import { largestWord } from './encodeQuery.ts';
import { type ParsedSize, parseSize, toBaseUnits } from './parseSize.ts';
import type { QuoteQuery } from './quoteTypes.ts';
import { type UsdPriceSource, usdStableSymbol } from './usdSize.ts';

/** A size in base units and the source of its USD price; `amountIn` is 0 if it could not be converted. */
export interface OrderSize {
  amountIn: bigint;
  cut: boolean;
  overflow: boolean;
  /** Pools were searched for a USD price. */
  surveyed: boolean;
  usdSource?: UsdPriceSource | undefined;
  feedRefused: boolean;
}

const unsized: OrderSize = { amountIn: 0n, cut: false, overflow: false, surveyed: false, feedRefused: false };

/** USD feeds that a size needs: that of tokenIn or, if it has no fresh one, those of the pricing assets. */
export function feedsOf({ size, tokenIn }: QuoteQuery, { feeds, pricingAssets }: Deployment): LowerAddress[] {
  if (!('usd' in size)) return [];
  const tokens = [tokenIn, ...pricingAssets.map(({ address }) => address)];
  return [...new Set(tokens.flatMap((token) => feeds[token]?.address ?? []))];
}

/** Converts a size: by token, 1:1 for a USD stable, by a fresh feed, or by the deepest pool against a pricing asset. */
export function sizeOrder({ size, tokenIn }: QuoteQuery, states: StateReading, deployment: Deployment): OrderSize {
  const decimals = states.tokens[0]?.decimals;
  if (decimals === undefined || states.tokens[1]?.decimals === undefined) return unsized;
  if ('tokenIn' in size) return ofUnits(toBaseUnits(parseSize(size.tokenIn), decimals));
  const usd = parseSize(size.usd);
  const symbol = usdStableSymbol(tokenIn, deployment);
  if (symbol) return { ...ofUnits(toBaseUnits(usd, decimals)), usdSource: { source: 'stable', symbol } };

  const feed = freshFeed(tokenIn, states, deployment);
  if (feed) {
    const amount = (usd.mantissa * 10n ** BigInt(decimals + feed.decimals)) / feed.answer / 10n ** BigInt(usd.scale);
    const usdPerToken = Number(feed.answer) / 10 ** feed.decimals;
    const source = {
      source: 'feed',
      feed: getAddress(feed.address),
      updatedAt: Number(feed.updatedAt),
      usdPerToken,
    } as const;
    return { ...ofUnits({ amount, cut: false }), usdSource: source };
  }
  const feedRefused = deployment.feeds[tokenIn] !== undefined;
  return { ...byDeepestPool(usd, decimals, states, deployment), surveyed: true, feedRefused };
}

function ofUnits({ amount, cut }: { amount: bigint; cut: boolean }): OrderSize {
  const overflow = amount > largestWord;
  return { ...unsized, amountIn: overflow ? 0n : amount, cut, overflow };
}

/** tokenIn's feed if its answer is fresh and the sequencer is up. */
function freshFeed(token: LowerAddress, { feeds, sequencer, block }: StateReading, deployment: Deployment) {
  const row = deployment.feeds[token];
  const feed = row && feeds.find(({ address }) => address === row.address);
  const trusted = sequencer === 'none' || sequencer === 'up';
  if (!row || !feed?.read || feed.answer <= 0n || feed.decimals > 36 || !trusted) return undefined;
  return block.timestamp <= feed.updatedAt + BigInt(row.heartbeatSeconds) ? feed : undefined;
}

export function feedReadingOf(token: LowerAddress, { feeds }: StateReading, deployment: Deployment): FeedReading {
  const row = deployment.feeds[token];
  const feed = row && feeds.find(({ address }) => address === row.address);
  return feed ?? { read: false, answer: 0n, updatedAt: 0n, decimals: 0 };
}

/**
 * Converts by the mid of the deepest pool against a pricing asset with a known USD price. Mids below the best output
 * for the whole order, sized by each pool's own mid, do not count (`deepestOf`): to fake such an output, someone must
 * buy that much above the market.
 */
function byDeepestPool(size: ParsedSize, decimals: number, states: StateReading, deployment: Deployment): OrderSize {
  const tokenIn = states.tokens[0]?.address;
  const usd = Number(size.mantissa) / 10 ** size.scale;
  const mids = deployment.pricingAssets.flatMap((asset) => {
    const feed = freshFeed(asset.address, states, deployment);
    const usdPerAsset = asset.usdStable ? 1 : feed && Number(feed.answer) / 10 ** feed.decimals;
    if (!tokenIn || usdPerAsset === undefined) return [];
    const usdPerUnit = usdPerAsset / 10 ** asset.decimals;
    const pools = midsOf(tokenIn, asset.address, states.pools);
    return pools.map(({ mid, depth, pay }) => {
      const units = usd / (mid * usdPerUnit);
      return {
        mid: mid * usdPerUnit,
        depth: depth * usdPerUnit,
        paid: Math.max(0, (pay(units) * usdPerUnit) / units),
        symbol: asset.symbol,
      };
    });
  });
  const deepest = deepestOf(mids, Math.max(0, ...mids.map(({ paid }) => paid)));
  const units = deepest && usd / deepest.mid;
  if (!deepest || units === undefined || !Number.isFinite(units)) return unsized;
  const usdSource = { source: 'pool', against: deepest.symbol, usdPerToken: deepest.mid * 10 ** decimals } as const;
  return { ...ofUnits({ amount: BigInt(Math.floor(units)), cut: false }), usdSource };
}
