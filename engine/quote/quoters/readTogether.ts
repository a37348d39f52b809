import {
  type Address,
  BaseError,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  numberToHex,
  parseAbi,
  size,
} from 'viem';
import { multicall3 } from '../../chain/multicall3.ts';
import { BlockGoneError, type Node, NodeRefusedError } from '../../chain/node.ts';
import { pinBlock, sendWithHeader } from '../../chain/pinBlock.ts';

/** One read-only call to one contract. */
export interface Read {
  to: Address;
  data: Hex;
}

/**
 * The result of a read: the returned words, a revert by the contract, or a failure that may be missing gas. An address
 * without code returns no words.
 */
export type ReadResult = { words: readonly bigint[] } | 'reverted' | 'unread';

const abi = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[])',
]);
const gas = numberToHex(24_000_000);
const maxWords = 8;

/** Multicall3's own getBlockNumber, getCurrentBlockTimestamp and getLastBlockHash; on Arbitrum the first is ArbSys's. */
const blockReads = (arbSys: boolean): Read[] => [
  arbSys
    ? { to: '0x0000000000000000000000000000000000000064', data: '0xa3b1b31d' }
    : { to: multicall3, data: '0x42cbb15c' },
  { to: multicall3, data: '0x0f28c97d' },
  { to: multicall3, data: '0x27e86d6e' },
];

/**
 * Many reads as one call of Multicall3, in one request and at one block, which is verified and pinned on the node.
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function readTogether(
  node: Node,
  reads: readonly Read[],
  { arbSys, block }: { arbSys: boolean; block: Hex | 'latest' },
): Promise<ReadResult[]> {
  const calls = [...blockReads(arbSys), ...reads].map(({ to, data }) => ({
    target: to,
    allowFailure: true,
    callData: data,
  }));
  const data = encodeFunctionData({ abi, functionName: 'aggregate3', args: [calls] });
  const call = { method: 'eth_call', params: [{ to: multicall3, gas, data }, block] };
  const { header, replies } = await sendWithHeader(node, block, [call]);
  const [reply] = replies;
  if (!reply || !('result' in reply)) {
    const message = `${node.label} did not run Multicall3: ${reply?.error.code} ${reply?.error.message}`;
    throw block === 'latest' ? new NodeRefusedError(message) : new BlockGoneError(message);
  }
  const [number, timestamp, parent, ...results] = decode(node, reply.result);
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

function decode(node: Node, result: unknown): ReadResult[] {
  try {
    const results = decodeFunctionResult({ abi, functionName: 'aggregate3', data: result as Hex });
    return results.map(({ success, returnData }) => {
      if (success) return { words: toWords(returnData) };
      return size(returnData) === 0 ? 'unread' : 'reverted';
    });
  } catch (cause) {
    // viem's decoder throws BaseError for malformed data, and TypeError for a value that is not a string.
    if (!(cause instanceof BaseError || cause instanceof TypeError)) throw cause;
    throw new NodeRefusedError(`${node.label} returned malformed data for Multicall3.`, { cause });
  }
}

/** The first whole words; limited, because a token can return anything. */
function toWords(data: Hex): bigint[] {
  const count = Math.min(Math.floor(size(data) / 32), maxWords);
  return Array.from({ length: count }, (_, index) => BigInt(`0x${data.slice(2 + 64 * index, 66 + 64 * index)}`));
}
