import { type HolderMoveSource, VendorUnavailableError } from '../ports.ts';
import type { VendorClient } from '../transport/vendorClient.ts';
import { fetchTokenTransfers } from './tokenTransfers.ts';

/** Transfers to search. An outgoing transfer before this many incoming ones is not found. */
const limit = 100;

/** A holder's latest outgoing transfer (`account/tokentx`, descending; it lists both directions). */
export function createEtherscanHolderMoves(client: VendorClient): HolderMoveSource {
  return {
    label: client.label,
    async fetchLastMove(token, holder, options) {
      const transfers = await fetchTokenTransfers(client, { token, holder, sort: 'desc', limit }, options);
      if (
        transfers.some(
          (entry, index) => entry.blockNumber > (transfers[index - 1]?.blockNumber ?? Number.POSITIVE_INFINITY),
        )
      ) {
        throw new VendorUnavailableError(client.label, 'malformed');
      }
      const newest = transfers.find(({ from }) => from === holder);
      if (newest) return { blockNumber: BigInt(newest.blockNumber), timestamp: newest.timeStamp, source: client.label };
      // A full page without an outgoing transfer does not prove that there is none.
      if (transfers.length >= limit) throw new VendorUnavailableError(client.label, 'not-indexed');
      return null;
    },
  };
}
