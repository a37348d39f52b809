import { z } from 'zod';
import {
  type FirstTransfer,
  type FirstTransferSource,
  type LowerAddress,
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
 * Verifies a vendor's claim on chain, because first transfers are stored permanently: the block's timestamp, and a
 * transfer of the token in that block and transaction. A wrong claim can then only make a token appear younger.
 */
export function confirmFirstTransfer(
  source: FirstTransferSource,
  endpoints: readonly RpcEndpoint[],
): FirstTransferSource {
  const { label } = source;
  return {
    label,
    async fetchFirstTransfer(token, options) {
      const claim = await source.fetchFirstTransfer(token, options);
      if (!claim) return null;
      try {
        const replies = await createLogRpc(endpoints, options.signal, () => undefined).send(toCalls(token, claim));
        return confirm(label, token, claim, replies);
      } catch (error) {
        // Without a readable chain the claim is unconfirmed.
        if (error instanceof RpcTransportError) throw new VendorUnavailableError(label, 'unconfirmed');
        throw error;
      }
    },
  };
}

function toCalls(token: LowerAddress, { blockNumber, transactionHash }: FirstTransfer) {
  const block = blockParam(Number(blockNumber));
  return [
    { method: 'eth_getBlockByNumber', params: [block, false] },
    // A node may have pruned logs or the transaction index; either one is enough.
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
  token: LowerAddress,
  claim: FirstTransfer,
  [block, ofBlock, ofTransaction, sent]: readonly RpcReply[],
): FirstTransfer {
  const claimedBlock = tryParse(block, header);
  const seen = [...(tryParse(ofBlock, logs) ?? []), ...(tryParse(ofTransaction, receipt) ?? [])];
  const hasTransfer = seen.some(
    (entry) =>
      entry.address === token &&
      entry.topics[0] === transferTopic &&
      BigInt(entry.blockNumber) === claim.blockNumber &&
      (claim.transactionHash === null || entry.transactionHash === claim.transactionHash),
  );
  const sender = tryParse(sent, transaction)?.from;
  const sameSender = sender === undefined || claim.sender === null || sender === claim.sender;
  if (!hasTransfer || claimedBlock?.timestamp !== claim.timestamp || !sameSender) {
    throw new VendorUnavailableError(label, 'unconfirmed');
  }
  return { ...claim, sender: sender ?? claim.sender };
}

function tryParse<T>(reply: RpcReply | undefined, schema: z.ZodType<T>): T | undefined {
  try {
    return takeResult(reply, schema);
  } catch (error) {
    if (error instanceof VendorUnavailableError) return undefined;
    throw error;
  }
}
