import { z } from 'zod';
import type { MarketSource } from '../ports.ts';
import { assertToken } from '../transport/assertToken.ts';
import type { VendorClient } from '../transport/vendorClient.ts';
import { address, usd } from '../transport/wire.ts';

const tokenAnswer = z.object({
  data: z.object({
    attributes: z.object({
      address,
      price_usd: usd.nullish(),
      volume_usd: z.object({ h24: usd.nullish() }).nullish(),
      market_cap_usd: usd.nullish(),
    }),
  }),
});

/**
 * Price, 24 h volume and market cap of the token over all pools, from `/api/v2/networks/base/tokens/{token}`. null: not
 * listed.
 */
export function createGeckoterminalMarket(client: VendorClient): MarketSource {
  return {
    label: client.label,
    async fetchMarket(token, options) {
      const path = `/api/v2/networks/base/tokens/${token}`;
      const answer = await client.fetchKnown({ path, schema: tokenAnswer }, options);
      if (!answer) return null;
      const { attributes } = answer.data;
      assertToken(client.label, token, attributes.address);
      return {
        priceUsdSpot: attributes.price_usd ?? null,
        volume24hUsd: attributes.volume_usd?.h24 ?? null,
        marketCapUsd: attributes.market_cap_usd ?? null,
        holderCount: null,
        source: client.label,
      };
    },
  };
}
