import { z } from 'zod';
import type { HolderSource } from '../ports.ts';
import type { VendorClient } from '../transport/vendorClient.ts';
import { address, count } from '../transport/wire.ts';
import { fetchEtherscan } from './etherscanQuery.ts';

const topHolders = z.array(z.object({ TokenHolderAddress: address })).max(1_000);

/**
 * Top holders (`token/topholders`) and their number (`token/tokenholdercount`); both need a Standard plan. The responses
 * contain no token address: the engine verifies the holders by reading their balances. The vendor's balances are dropped,
 * because the documentation does not define their unit.
 */
export function createEtherscanHolders(client: VendorClient, now: () => number): HolderSource {
  return {
    label: client.label,
    async fetchTopHolders(token, options) {
      const contractaddress = token;
      const [top, holderCount] = await Promise.all([
        fetchEtherscan(
          client,
          { module: 'token', action: 'topholders', params: { contractaddress, offset: '50' }, result: topHolders },
          options,
        ),
        fetchEtherscan(
          client,
          { module: 'token', action: 'tokenholdercount', params: { contractaddress }, result: count },
          options,
        ),
      ]);
      if (!top || top.length === 0) return null;
      return {
        holders: top.map(({ TokenHolderAddress }) => ({ address: TokenHolderAddress, rawBalanceHint: null })),
        exactCount: null,
        approximateCount: holderCount,
        source: client.label,
        measuredAt: now(),
        asOfBlock: null,
      };
    },
  };
}
