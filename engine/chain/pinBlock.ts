import type { Hex } from 'viem';
import { WrongChainError } from '../errors.ts';
import { type BlockRef, toBlockRef } from './blockRef.ts';
import { chainIds } from './chains.ts';
import { headerHash } from './headerHash.ts';
import { BlockGoneError, type Node, NodeRefusedError } from './node.ts';
import type { RpcCall, RpcReply } from './rpcEndpoint.ts';
import { sendTogether } from './sendTogether.ts';

/** What a contract saw of the block that it ran in. `parentHash` is undefined where the chain does not tell it. */
export interface SeenBlock {
  number: bigint;
  timestamp: bigint;
  parentHash: Hex | undefined;
}

/**
 * Calls with the header of their block in the same request, and with the chain id at a node that was not checked yet.
 * @param block a number in hex, or `latest`
 * @throws {WrongChainError | NodeRefusedError | BlockGoneError | RpcTransportError}
 */
export async function sendWithHeader(
  node: Node,
  block: Hex | 'latest',
  calls: readonly RpcCall[],
): Promise<{ header: BlockRef; replies: RpcReply[] }> {
  const ask: RpcCall[] = node.memory.checked ? [] : [{ method: 'eth_chainId', params: [] }];
  ask.push({ method: 'eth_getBlockByNumber', params: [block, false] });
  const replies = await sendTogether(node, [...ask, ...calls]);
  if (!node.memory.checked) checkChain(node, replies[0]);
  return { header: readHeader(node, replies[ask.length - 1], block), replies: replies.slice(ask.length) };
}

/**
 * Holds what a call saw against the header, and pins the attempt to that block. When the chain moved on between the
 * two, the header of the block that the call saw is fetched.
 * @throws {NodeRefusedError} when they contradict each other
 * @throws {BlockGoneError} when an earlier read of this attempt was of another block of that number
 */
export async function pinBlock(node: Node, header: BlockRef, seen: SeenBlock, asked: Hex | 'latest'): Promise<void> {
  let block = header;
  if (asked === 'latest' && header.number !== seen.number) {
    block = (await sendWithHeader(node, `0x${seen.number.toString(16)}`, [])).header;
  }
  const sameParent = seen.parentHash === undefined || sameHash(seen.parentHash, block.parentHash);
  if (block.number !== seen.number || block.timestamp !== seen.timestamp || !sameParent) {
    throw new NodeRefusedError(
      `${node.label} ran the call in block ${seen.number} and shows another header for it; one of them is wrong.`,
    );
  }
  if (node.block?.number === block.number && !sameHash(node.block.hash, block.hash)) {
    throw new BlockGoneError(`Block ${block.number} of ${node.label} was replaced by another while it was read.`);
  }
  node.block = block;
}

function checkChain(node: Node, reply: RpcReply | undefined): void {
  const told = reply && 'result' in reply ? reply.result : undefined;
  // Of an object not even a number can be tried to be made.
  if (typeof told !== 'string' && typeof told !== 'number') {
    throw new NodeRefusedError(`${node.label} does not tell its chain id.`);
  }
  const seen = Number(told);
  const expected = chainIds[node.chain];
  if (seen !== expected) throw new WrongChainError(node.chain, node.label, expected, seen);
  node.memory.checked = true;
}

function readHeader(node: Node, reply: RpcReply | undefined, asked: Hex | 'latest'): BlockRef {
  const read = toBlockRef(reply);
  if (!read) {
    const message = `${node.label} shows no header for block ${asked}.`;
    throw asked === 'latest' ? new NodeRefusedError(message) : new BlockGoneError(message);
  }
  const { block, header } = read;
  const { baseFeePerGas } = header;
  node.memory.baseFee = isFee(baseFeePerGas) ? BigInt(baseFeePerGas) : 0n;
  if (asked !== 'latest' && block.number !== BigInt(asked)) {
    throw new NodeRefusedError(`${node.label} was asked for block ${BigInt(asked)} and shows ${block.number}.`);
  }
  const worked = headerHash(header);
  if (worked !== undefined && sameHash(worked, block.hash)) node.hashes.proven = true;
  // Only where it has agreed before: a chain may hash its headers in a way that is not known here.
  else if (worked !== undefined && node.hashes.proven) {
    throw new NodeRefusedError(`${node.label} shows a hash for block ${block.number} that its fields do not have.`);
  }
  return block;
}

/** A higher base fee than 2^64 wei per gas is invalid; no chain comes near it. */
const isFee = (value: unknown): value is Hex => typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value);

const sameHash = (a: Hex, b: Hex) => a.toLowerCase() === b.toLowerCase();
