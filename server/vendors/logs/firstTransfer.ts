import { z } from 'zod';
import { type FirstTransferSource, type RpcEndpoint, RpcTransportError, VendorUnavailableError } from '../ports.ts';
import { address, hash } from '../transport/wire.ts';
import type { LogIndexer } from './logIndexer.ts';
import { blockParam, createLogRpc, logsLabel, takeResult } from './logRpc.ts';
import { header } from './readChainHead.ts';

const transaction = z.object({ hash, from: address });

/** A token's first Transfer log, with its block's timestamp and its transaction's sender. */
export function createLogFirstTransfer(indexer: LogIndexer, endpoints: readonly RpcEndpoint[]): FirstTransferSource {
  return {
    label: logsLabel,
    async fetchFirstTransfer(token, options) {
      const first = await indexer.readFirst(token, options);
      if (!first) return null;
      try {
        const [block, sent] = await createLogRpc(endpoints, options.signal, () => undefined).send([
          { method: 'eth_getBlockByNumber', params: [blockParam(first.block), false] },
          { method: 'eth_getTransactionByHash', params: [first.transaction] },
        ]);
        return {
          blockNumber: BigInt(first.block),
          timestamp: takeResult(block, header).timestamp,
          sender: takeResult(sent, transaction).from,
          transactionHash: first.transaction,
          source: logsLabel,
        };
      } catch (error) {
        if (error instanceof RpcTransportError) throw new VendorUnavailableError(logsLabel, 'unreachable');
        throw error;
      }
    },
  };
}
