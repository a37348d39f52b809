import type { Hex } from 'viem';
import { z } from 'zod';
import { type FetchOptions, type FirstTransferSource, VendorUnavailableError } from '../ports.ts';
import { assertToken } from '../transport/assertToken.ts';
import { transferTopic } from '../transport/transferTopic.ts';
import type { VendorClient } from '../transport/vendorClient.ts';
import { address, hash, hexCount } from '../transport/wire.ts';

/** The RPC-style API returns at most this many logs, oldest first. */
const pageSize = 1_000;

const log = z.object({ address, blockNumber: hexCount, timeStamp: hexCount, transactionHash: hash });
const logsAnswer = z.object({ status: z.enum(['0', '1']), message: z.string(), result: z.array(log).max(pageSize) });
const transaction = z.object({ hash, from: z.object({ hash: address }).nullable() });

/**
 * Source of the first Transfer log, from `/api?module=logs&action=getLogs`, and its sender from
 * `/api/v2/transactions/{hash}`. null: indexed, without any transfer.
 */
export function createBlockscoutFirstTransfer(client: VendorClient): FirstTransferSource {
  async function fetchSender(transactionHash: Hex, options: FetchOptions) {
    const found = await client.fetchJson(
      { path: `/api/v2/transactions/${transactionHash}`, schema: transaction },
      options,
    );
    if (found.hash !== transactionHash) throw new VendorUnavailableError(client.label, 'malformed');
    return found.from?.hash ?? null;
  }

  return {
    label: client.label,
    async fetchFirstTransfer(token, options) {
      const query = {
        module: 'logs',
        action: 'getLogs',
        fromBlock: '0',
        toBlock: 'latest',
        address: token,
        topic0: transferTopic,
        // Newer versions support paging; older ones ignore it and return a full page.
        page: '1',
        offset: '10',
      };
      const { status, message, result } = await client.fetchJson({ path: '/api', query, schema: logsAnswer }, options);
      const [first] = result;
      if (!first) {
        if (/^no (logs|records) found/i.test(message)) return null;
        throw new VendorUnavailableError(client.label, status === '0' ? 'refused' : 'malformed');
      }
      for (const { address: emitter } of result) assertToken(client.label, token, emitter);
      // The first log is the oldest only if the logs are sorted.
      if (result.some((entry, index) => entry.blockNumber < (result[index - 1]?.blockNumber ?? 0))) {
        throw new VendorUnavailableError(client.label, 'malformed');
      }
      return {
        blockNumber: BigInt(first.blockNumber),
        timestamp: first.timeStamp,
        sender: await fetchSender(first.transactionHash, options),
        transactionHash: first.transactionHash,
        source: client.label,
      };
    },
  };
}
