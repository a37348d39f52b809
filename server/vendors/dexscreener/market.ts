import { z } from 'zod';
import { type MarketSource, VendorUnavailableError } from '../ports.ts';
import { address, usd } from '../transport/wire.ts';
import type { DexscreenerPairs } from './pairs.ts';

const side = z.object({ address: z.string().max(100) });

/** Other chains use other address formats, so addresses are validated only for pairs on Base. */
const pairs = z
  .array(
    z.object({
      chainId: z.string().max(100),
      baseToken: side,
      quoteToken: side,
      priceUsd: usd.nullish(),
      volume: z.object({ h24: usd.nullish() }).nullish(),
      liquidity: z.object({ usd: usd.nullish() }).nullish(),
      marketCap: usd.nullish(),
    }),
  )
  .max(200);

/**
 * Price and market cap of the most liquid pair with the token as base, and the 24 h volume of all returned pairs (at most
 * 30). null: not listed.
 */
export function createDexscreenerMarket({ label, fetchPairs }: DexscreenerPairs): MarketSource {
  return {
    label,
    async fetchMarket(token, options) {
      const listed = pairs.safeParse(await fetchPairs('base', token, options));
      if (!listed.success) throw new VendorUnavailableError(label, 'malformed');
      const all = listed.data;
      if (all.length === 0) return null;
      const isToken = (text: string) => address.safeParse(text).data === token;
      const ofToken = all.filter(
        ({ chainId, baseToken, quoteToken }) =>
          chainId === 'base' && (isToken(baseToken.address) || isToken(quoteToken.address)),
      );
      if (ofToken.length === 0) throw new VendorUnavailableError(label, 'wrong-token');
      const deepest = ofToken
        .filter(({ baseToken }) => isToken(baseToken.address))
        .sort((a, b) => (b.liquidity?.usd ?? 0) - (a.liquidity?.usd ?? 0))
        .at(0);
      const volumes = ofToken.flatMap(({ volume }) => volume?.h24 ?? []);
      const volume24hUsd = volumes.length === 0 ? null : volumes.reduce((sum, one) => sum + one, 0);
      // The sum of valid volumes can overflow to Infinity, which JSON cannot represent.
      if (volume24hUsd === Number.POSITIVE_INFINITY) throw new VendorUnavailableError(label, 'malformed');
      return {
        priceUsdSpot: deepest?.priceUsd ?? null,
        volume24hUsd,
        marketCapUsd: deepest?.marketCap ?? null,
        holderCount: null,
        source: label,
      };
    },
  };
}
