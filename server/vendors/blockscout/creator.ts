import { z } from 'zod';
import { type CreatorSource, VendorUnavailableError } from '../ports.ts';
import { assertToken } from '../transport/assertToken.ts';
import type { VendorClient } from '../transport/vendorClient.ts';
import { address } from '../transport/wire.ts';

const addressInfo = z.object({ hash: address, creator_address_hash: address.nullish() });

/** The contract's creator, from `/api/v2/addresses/{token}`. null: indexed without a creator (a genesis contract). */
export function createBlockscoutCreator(client: VendorClient): CreatorSource {
  return {
    label: client.label,
    async fetchCreator(token, options) {
      const info = await client.fetchKnown({ path: `/api/v2/addresses/${token}`, schema: addressInfo }, options);
      if (!info) throw new VendorUnavailableError(client.label, 'not-indexed');
      assertToken(client.label, token, info.hash);
      return info.creator_address_hash ? { address: info.creator_address_hash, source: client.label } : null;
    },
  };
}
