import { type Address, type Hex, isHex, numberToHex } from 'viem';
import { type Node, NodeRefusedError } from './node.ts';
import { sendWithHeader } from './pinBlock.ts';

/** Whether an address has code, and the block of the reading. */
export interface CodeReading {
  hasCode: boolean;
  blockNumber: bigint;
}

/**
 * Reads whether an address has code, and sets `node.block`. Without code it is read again at that block's number: a node
 * may read header and code at different `latest` blocks, and callers report the block.
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function readCode(node: Node, address: Address): Promise<CodeReading> {
  const latest = await readCodeAt(node, address, 'latest');
  return latest.hasCode ? latest : readCodeAt(node, address, numberToHex(latest.blockNumber));
}

async function readCodeAt(node: Node, address: Address, block: Hex | 'latest'): Promise<CodeReading> {
  const { header, replies } = await sendWithHeader(node, block, [{ method: 'eth_getCode', params: [address, block] }]);
  const [reply] = replies;
  if (!reply || !('result' in reply) || !isHex(reply.result)) {
    throw new NodeRefusedError(
      `${node.label} returned an invalid eth_getCode result for ${address} at block ${header.number}.`,
    );
  }
  node.block = header;
  return { hasCode: reply.result !== '0x', blockNumber: header.number };
}
