import { z } from 'zod';
import { type FetchOptions, type HolderSource, type LowerAddress, VendorUnavailableError } from '../ports.ts';
import { assertToken } from '../transport/assertToken.ts';
import type { VendorClient } from '../transport/vendorClient.ts';
import { address, count, quantity } from '../transport/wire.ts';

const holdersPage = z.object({
  items: z.array(z.object({ address: z.object({ hash: address }), value: quantity })).max(1_000),
});

/** Blockscout 7 renamed `address` to `address_hash`. */
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
 * The list does not contain the token's address, so the second response is checked instead.
 * The count is approximate: the explorer refreshes it from time to time.
 */
export function createBlockscoutHolders(client: VendorClient, now: () => number): HolderSource {
  async function fetchInfo(token: LowerAddress, options: FetchOptions) {
    const info = await client.fetchKnown({ path: `/api/v2/tokens/${token}`, schema: tokenInfo }, options);
    // Blockscout lists no token without a transfer, and none newer than its index.
    if (!info) throw new VendorUnavailableError(client.label, 'not-indexed');
    const tokenAddress = info.address_hash ?? info.address;
    if (tokenAddress) assertToken(client.label, token, tokenAddress);
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
