import { z } from 'zod';
import { type HolderMoveSource, VendorUnavailableError } from '../ports.ts';
import { assertToken } from '../transport/assertToken.ts';
import type { VendorClient } from '../transport/vendorClient.ts';
import { address, count, isoSeconds } from '../transport/wire.ts';

const transfer = z.object({
  block_number: count,
  timestamp: isoSeconds,
  from: z.object({ hash: address }),
  // Blockscout 7 renamed `token.address` to `token.address_hash`.
  token: z.object({ address: address.optional(), address_hash: address.optional() }).transform((token, context) => {
    const tokenAddress = token.address_hash ?? token.address;
    if (tokenAddress) return tokenAddress;
    context.addIssue('contains no token address');
    return z.NEVER;
  }),
});
const transfers = z.object({ items: z.array(transfer).max(1_000) });

/**
 * A holder's latest outgoing transfer, from `/api/v2/addresses/{holder}/token-transfers`; ignores the order of the
 * page.
 */
export function createBlockscoutHolderMoves(client: VendorClient): HolderMoveSource {
  return {
    label: client.label,
    async fetchLastMove(token, holder, options) {
      const query = { token, type: 'ERC-20', filter: 'from' };
      const path = `/api/v2/addresses/${holder}/token-transfers`;
      const page = await client.fetchKnown({ path, query, schema: transfers }, options);
      if (!page) throw new VendorUnavailableError(client.label, 'not-indexed');
      for (const item of page.items) {
        assertToken(client.label, token, item.token);
        if (item.from.hash !== holder) throw new VendorUnavailableError(client.label, 'malformed');
      }
      const newest = page.items.reduce<(typeof page.items)[number] | undefined>(
        (best, item) => (best && best.block_number >= item.block_number ? best : item),
        undefined,
      );
      if (!newest) return null;
      return { blockNumber: BigInt(newest.block_number), timestamp: newest.timestamp, source: client.label };
    },
  };
}
