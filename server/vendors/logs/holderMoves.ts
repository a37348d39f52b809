import { type HolderMoveSource, type RpcEndpoint, RpcTransportError, VendorUnavailableError } from '../ports.ts';
import type { LogIndexer } from './logIndexer.ts';
import { blockParam, createLogRpc, logsLabel, takeResult } from './logRpc.ts';
import { header } from './readChainHead.ts';

/** A holder's latest outgoing transfer, from our own index. */
export function createLogHolderMoves(indexer: LogIndexer, endpoints: readonly RpcEndpoint[]): HolderMoveSource {
  return {
    label: logsLabel,
    async fetchLastMove(token, holder, options) {
      const { holders } = await indexer.readIndex(token, options);
      if (!holders) throw new VendorUnavailableError(logsLabel, 'not-indexed');
      const block = holders.get(holder)?.lastSentBlock;
      if (block === undefined) return null;
      try {
        const [reply] = await createLogRpc(endpoints, options.signal, () => undefined).send([
          { method: 'eth_getBlockByNumber', params: [blockParam(block), false] },
        ]);
        return { blockNumber: BigInt(block), timestamp: takeResult(reply, header).timestamp, source: logsLabel };
      } catch (error) {
        if (error instanceof RpcTransportError) throw new VendorUnavailableError(logsLabel, 'unreachable');
        throw error;
      }
    },
  };
}
