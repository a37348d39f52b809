import { z } from 'zod';
import { type CreatorSource, VendorUnavailableError } from '../ports.ts';
import { assertToken } from '../transport/assertToken.ts';
import type { VendorClient } from '../transport/vendorClient.ts';
import { address } from '../transport/wire.ts';
import { fetchEtherscan } from './etherscanQuery.ts';

const creations = z.array(z.object({ contractAddress: address, contractCreator: address })).max(5);

/**
 * Fetches a contract's creator (`contract/getcontractcreation`, part of Etherscan's free plan); null without a record.
 */
export function createEtherscanCreator(client: VendorClient): CreatorSource {
  return {
    label: client.label,
    async fetchCreator(token, options) {
      const found = await fetchEtherscan(
        client,
        { module: 'contract', action: 'getcontractcreation', params: { contractaddresses: token }, result: creations },
        options,
      );
      const [creation, second] = found ?? [];
      if (!creation) return null;
      if (second) throw new VendorUnavailableError(client.label, 'malformed');
      assertToken(client.label, token, creation.contractAddress);
      return { address: creation.contractCreator, source: client.label };
    },
  };
}
