import { type Hex, numberToHex, size } from 'viem';
import {
  blockNumberRead,
  type ContractRead,
  fromAggregateReply,
  multicall3,
  toAggregateCall,
} from '../../chain/multicall3.ts';
import { BlockGoneError, type Node, NodeRefusedError } from '../../chain/node.ts';
import { pinBlock, sendWithHeader } from '../../chain/pinBlock.ts';
import type { RpcReply } from '../../chain/rpcEndpoint.ts';
import { decodeWords } from '../../chain/words.ts';

/**
 * The result of a read: the returned words, a revert by the contract, or a failure that may be missing gas. An address
 * without code returns no words.
 */
export type ReadResult = { words: readonly bigint[] } | 'reverted' | 'unread';

const gas = numberToHex(24_000_000);
/** A token can return anything. */
const maxWords = 8;

/** Multicall3's own getBlockNumber, getCurrentBlockTimestamp and getLastBlockHash; on Arbitrum the first is ArbSys's. */
const blockReads = (arbSys: boolean): ContractRead[] => [
  arbSys ? { to: '0x0000000000000000000000000000000000000064', data: '0xa3b1b31d' } : blockNumberRead,
  { to: multicall3, data: '0x0f28c97d' },
  { to: multicall3, data: '0x27e86d6e' },
];

/**
 * Many reads as one call of Multicall3, in one request and at one block, which is verified and pinned on the node.
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function readTogether(
  node: Node,
  reads: readonly ContractRead[],
  { arbSys, block }: { arbSys: boolean; block: Hex | 'latest' },
): Promise<ReadResult[]> {
  const call = toAggregateCall([...blockReads(arbSys), ...reads], gas, block);
  const { header, replies } = await sendWithHeader(node, block, [call]);
  const [reply] = replies;
  if (!reply || !('result' in reply)) {
    const message = `${node.label} did not run Multicall3: ${reply?.error.code} ${reply?.error.message}`;
    throw block === 'latest' ? new NodeRefusedError(message) : new BlockGoneError(message);
  }
  const [number, timestamp, parent, ...results] = decode(node, reply);
  const seen = { number: firstWord(number), timestamp: firstWord(timestamp), parentHash: firstWord(parent) };
  if (seen.number === undefined || seen.timestamp === undefined || results.length !== reads.length) {
    throw new NodeRefusedError(`${node.label} returned no block from Multicall3.`);
  }
  const parentHash = arbSys || !seen.parentHash ? undefined : numberToHex(seen.parentHash, { size: 32 });
  await pinBlock(node, header, { number: seen.number, timestamp: seen.timestamp, parentHash }, block);
  return results;
}

export function firstWord(result: ReadResult | undefined): bigint | undefined {
  return typeof result === 'object' ? result.words[0] : undefined;
}

function decode(node: Node, reply: RpcReply): ReadResult[] {
  const results = fromAggregateReply(reply);
  if (!results) throw new NodeRefusedError(`${node.label} returned malformed data for Multicall3.`);
  return results.map(({ success, returnData }) => {
    if (success) return { words: decodeWords(returnData, maxWords) };
    return size(returnData) === 0 ? 'unread' : 'reverted';
  });
}
