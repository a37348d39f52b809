import { type Address, isAddressEqual } from 'viem';
import { z } from 'zod';
import {
  type FirstTransfer,
  type FirstTransferSource,
  type RpcEndpoint,
  type RpcReply,
  RpcTransportError,
  VendorUnavailableError,
} from '../ports.ts';
import { transferTopic } from '../transport/transferTopic.ts';
import { address, hash, hexCount } from '../transport/wire.ts';
import { blockParam, createLogRpc, takeResult } from './logRpc.ts';
import { header } from './readChainHead.ts';

const log = z.object({ address, topics: z.array(hash).max(4), blockNumber: hexCount, transactionHash: hash });
const logs = z.array(log);
const receipt = z.object({ logs }).transform((found) => found.logs);
const transaction = z.object({ hash, from: address });

/**
 * A first transfer is kept for ever, so another's word for it is held against the chain: the block has that time, and
 * in it the token moved in that transaction. A lie can then only make a token look younger than it is.
 */
export function confirmFirstTransfer(
  source: FirstTransferSource,
  endpoints: readonly RpcEndpoint[],
): FirstTransferSource {
  const { label } = source;
  return {
    label,
    async fetchFirstTransfer(token, options) {
      const told = await source.fetchFirstTransfer(token, options);
      if (!told) return null;
      try {
        const replies = await createLogRpc(endpoints, options.signal, () => undefined).send(toCalls(token, told));
        return confirm(label, token, told, replies);
      } catch (error) {
        // A chain that cannot be read does not bear it out either.
        if (error instanceof RpcTransportError) throw new VendorUnavailableError(label, 'unconfirmed');
        throw error;
      }
    },
  };
}

function toCalls(token: Address, { blockNumber, transactionHash }: FirstTransfer) {
  const block = blockParam(Number(blockNumber));
  return [
    { method: 'eth_getBlockByNumber', params: [block, false] },
    // Nodes drop the one or the other when they are old: logs of a block, or transactions by their hash.
    {
      method: 'eth_getLogs',
      params: [{ address: token, topics: [transferTopic], fromBlock: block, toBlock: block }],
    },
    ...(transactionHash
      ? [
          { method: 'eth_getTransactionReceipt', params: [transactionHash] },
          { method: 'eth_getTransactionByHash', params: [transactionHash] },
        ]
      : []),
  ];
}

function confirm(
  label: string,
  token: Address,
  told: FirstTransfer,
  [block, ofBlock, ofTransaction, sent]: readonly RpcReply[],
): FirstTransfer {
  const found = readable(block, header);
  const seen = [...(readable(ofBlock, logs) ?? []), ...(readable(ofTransaction, receipt) ?? [])];
  const moved = seen.some(
    (entry) =>
      isAddressEqual(entry.address, token) &&
      entry.topics[0] === transferTopic &&
      BigInt(entry.blockNumber) === told.blockNumber &&
      (told.transactionHash === null || entry.transactionHash === told.transactionHash),
  );
  const sender = readable(sent, transaction)?.from;
  const sameSender = sender === undefined || told.sender === null || sender === told.sender;
  if (!moved || found?.timestamp !== told.timestamp || !sameSender) {
    throw new VendorUnavailableError(label, 'unconfirmed');
  }
  return { ...told, sender: sender ?? told.sender };
}

function readable<T>(reply: RpcReply | undefined, schema: z.ZodType<T>): T | undefined {
  try {
    return takeResult(reply, schema);
  } catch (error) {
    if (error instanceof VendorUnavailableError) return undefined;
    throw error;
  }
}
