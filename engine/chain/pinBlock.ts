import { type Hex, numberToHex } from 'viem';
import { WrongChainError } from '../errors.ts';
import { type BlockRef, toBlockRef } from './blockRef.ts';
import { chainIds } from './chains.ts';
import { headerHash } from './headerHash.ts';
import { BlockGoneError, BlockReplacedError, type Node, NodeRefusedError } from './node.ts';
import type { RpcCall, RpcReply } from './rpcEndpoint.ts';
import { sendTogether } from './sendTogether.ts';

/** The block in which a call ran, as the contract saw it. `parentHash` is undefined if the chain does not expose it. */
export interface SeenBlock {
  number: bigint;
  timestamp: bigint;
  parentHash: Hex | undefined;
}

/**
 * Sends calls together with the header of their block, and with the chain id if the node's is not verified yet.
 * @param block a number in hex, or `latest`
 * @throws {BlockReplacedError} when an earlier read of this attempt used another block with that number
 * @throws {WrongChainError | NodeRefusedError | BlockGoneError | RpcTransportError}
 */
export async function sendWithHeader(
  node: Node,
  block: Hex | 'latest',
  calls: readonly RpcCall[],
): Promise<{ header: BlockRef; replies: RpcReply[] }> {
  const prefix: RpcCall[] = node.memory.checked ? [] : [{ method: 'eth_chainId', params: [] }];
  const headerCall = { method: 'eth_getBlockByNumber', params: [block, false] };
  // Of a batch that is sent in parts, the last one shows whether the block was replaced before it.
  const isLaterRead = node.block !== undefined && block !== 'latest';
  const all = isLaterRead ? [...prefix, ...calls, headerCall] : [...prefix, headerCall, ...calls];
  const replies = await sendTogether(node, all);
  if (!node.memory.checked) checkChain(node, replies[0]);
  const header = readHeader(node, replies[isLaterRead ? all.length - 1 : prefix.length], block);
  // Reads of `latest` are pinned later, or belong to a search that other answers share.
  if (block !== 'latest') assertNotReplaced(node, header);
  const from = isLaterRead ? prefix.length : prefix.length + 1;
  return { header, replies: replies.slice(from, from + calls.length) };
}

/**
 * Sends calls for the block of this attempt (`node.block`), with its header. After a reorganisation, or at another node
 * behind the same URL, another block has this number. Without the header if no block is pinned yet.
 * @throws {BlockReplacedError | NodeRefusedError | BlockGoneError | WrongChainError | RpcTransportError}
 */
export async function sendPinned(node: Node, calls: readonly RpcCall[]): Promise<RpcReply[]> {
  if (calls.length === 0) return [];
  if (!node.block) return sendTogether(node, calls);
  return (await sendWithHeader(node, numberToHex(node.block.number), calls)).replies;
}

/**
 * Compares the call's block with the header, and pins the attempt to that block. If a new block arrived between the two,
 * it reads the header of the call's block.
 * @throws {NodeRefusedError} when they contradict each other
 * @throws {BlockReplacedError} when an earlier read of this attempt used another block with that number
 * @throws {BlockGoneError} when the call ran in another block than the requested one, which happens when the node imports
 * a block at that moment
 */
export async function pinBlock(
  node: Node,
  header: BlockRef,
  seen: SeenBlock,
  requested: Hex | 'latest',
): Promise<void> {
  let block = header;
  if (requested === 'latest' && header.number !== seen.number) {
    block = (await sendWithHeader(node, `0x${seen.number.toString(16)}`, [])).header;
  }
  if (requested !== 'latest' && header.number !== seen.number) {
    throw new BlockGoneError(`${node.label} ran a call for block ${header.number} in block ${seen.number}.`);
  }
  const sameParent = seen.parentHash === undefined || sameHash(seen.parentHash, block.parentHash);
  if (block.number !== seen.number || block.timestamp !== seen.timestamp || !sameParent) {
    throw new NodeRefusedError(
      `${node.label} ran the call in block ${seen.number} and returned a header that does not match it.`,
    );
  }
  // Another request of this attempt may have pinned a block since this header was read.
  assertNotReplaced(node, block);
  node.block = block;
}

/** @throws {BlockReplacedError} */
function assertNotReplaced(node: Node, { number, hash }: BlockRef): void {
  if (node.block?.number === number && !sameHash(node.block.hash, hash)) {
    throw new BlockReplacedError(`Block ${number} of ${node.label} was replaced during the read.`);
  }
}

function checkChain(node: Node, reply: RpcReply | undefined): void {
  const result = reply && 'result' in reply ? reply.result : undefined;
  // `Number` throws for some objects.
  if (typeof result !== 'string' && typeof result !== 'number') {
    throw new NodeRefusedError(`${node.label} returned no chain id.`);
  }
  const seen = Number(result);
  const expected = chainIds[node.chain];
  if (seen !== expected) throw new WrongChainError(node.chain, node.label, expected, seen);
  node.memory.checked = true;
}

function readHeader(node: Node, reply: RpcReply | undefined, requested: Hex | 'latest'): BlockRef {
  const read = toBlockRef(reply);
  if (!read) {
    const message = `${node.label} returned no header for block ${requested}.`;
    throw requested === 'latest' ? new NodeRefusedError(message) : new BlockGoneError(message);
  }
  const { block, header } = read;
  const { baseFeePerGas } = header;
  node.memory.baseFee = isFee(baseFeePerGas) ? BigInt(baseFeePerGas) : 0n;
  if (requested !== 'latest' && block.number !== BigInt(requested)) {
    throw new NodeRefusedError(`${node.label} returned block ${block.number} instead of ${BigInt(requested)}.`);
  }
  const computed = headerHash(header, node.hashes);
  if (computed !== undefined && sameHash(computed, block.hash)) node.hashes.proven = true;
  // Only after a match: the chain may compute header hashes in a way that is unknown here.
  else if (computed !== undefined && node.hashes.proven) {
    throw new NodeRefusedError(
      `${node.label} returned a hash for block ${block.number} that does not match its fields.`,
    );
  }
  return block;
}

/** A higher base fee than 2^64 wei per gas is invalid; no chain comes near it. */
const isFee = (value: unknown): value is Hex => typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value);

const sameHash = (a: Hex, b: Hex) => a.toLowerCase() === b.toLowerCase();
