import type { Address } from 'viem';
import { z } from 'zod';
import { type FetchOptions, type HolderSource, VendorUnavailableError } from '../ports.ts';
import { assertToken } from '../transport/assertToken.ts';
import type { VendorClient } from '../transport/vendorClient.ts';
import { address, count, quantity } from '../transport/wire.ts';

const holdersPage = z.object({
  items: z.array(z.object({ address: z.object({ hash: address }), value: quantity })).max(1_000),
});

/** The token's name for itself was `address` until version 7 and is `address_hash` since. */
const tokenInfo = z
  .object({
    address: address.optional(),
    address_hash: address.optional(),
    holders_count: count.nullish(),
    holders: count.nullish(),
  })
  .refine((token) => token.address !== undefined || token.address_hash !== undefined);

/**
 * Top holders and the holder count, from `/api/v2/tokens/{token}/holders` and `/api/v2/tokens/{token}`.
 * The list does not say whose holders they are, so the second answer also vouches for the first.
 * The count is refreshed by the explorer from time to time: approximate.
 */
export function createBlockscoutHolders(client: VendorClient, now: () => number): HolderSource {
  async function fetchInfo(token: Address, options: FetchOptions) {
    const info = await client.fetchKnown({ path: `/api/v2/tokens/${token}`, schema: tokenInfo }, options);
    // A token without any transfer is unknown there, and so is one that is newer than the index.
    if (!info) throw new VendorUnavailableError(client.label, 'not-indexed');
    const named = info.address_hash ?? info.address;
    if (named) assertToken(client.label, token, named);
    return info;
  }

  return {
    label: client.label,
    async fetchTopHolders(token, options) {
      const [info, page] = await Promise.all([
        fetchInfo(token, options),
        client.fetchKnown({ path: `/api/v2/tokens/${token}/holders`, schema: holdersPage }, options),
      ]);
      if (!page) throw new VendorUnavailableError(client.label, 'not-indexed');
      if (page.items.length === 0) return null;
      return {
        holders: page.items.map((item) => ({ address: item.address.hash, rawBalanceHint: item.value })),
        exactCount: null,
        approximateCount: info.holders_count ?? info.holders ?? null,
        source: client.label,
        measuredAt: now(),
        asOfBlock: null,
      };
    },
  };
}
