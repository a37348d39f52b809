import type { Hex } from 'viem';
import { z } from 'zod';
import { type FetchOptions, type FirstTransferSource, VendorUnavailableError } from '../ports.ts';
import type { VendorClient } from '../transport/vendorClient.ts';
import { address, hash } from '../transport/wire.ts';
import { fetchTokenTransfers } from './tokenTransfers.ts';

const rpcTransaction = z.object({ result: z.object({ hash, from: address }) });

/** The oldest transfer (`account/tokentx`, ascending) and its transaction's sender (`proxy/eth_getTransactionByHash`). */
export function createEtherscanFirstTransfer(client: VendorClient): FirstTransferSource {
  async function fetchSender(txhash: Hex, options: FetchOptions) {
    const query = { chainid: '8453', module: 'proxy', action: 'eth_getTransactionByHash', txhash };
    const { result } = await client.fetchJson({ path: '/v2/api', query, schema: rpcTransaction }, options);
    if (result.hash !== txhash) throw new VendorUnavailableError(client.label, 'malformed');
    return result.from;
  }

  return {
    label: client.label,
    async fetchFirstTransfer(token, options) {
      const [first, second] = await fetchTokenTransfers(client, { token, sort: 'asc', limit: 2 }, options);
      if (!first) return null;
      if (second && second.blockNumber < first.blockNumber) throw new VendorUnavailableError(client.label, 'malformed');
      return {
        blockNumber: BigInt(first.blockNumber),
        timestamp: first.timeStamp,
        sender: await fetchSender(first.hash, options),
        transactionHash: first.hash,
        source: client.label,
      };
    },
  };
}
