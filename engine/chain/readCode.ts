import { type Address, type Hex, isHex, numberToHex } from 'viem';
import { resultOf, wordOf } from './batch.ts';
import { type Node, NodeRefusedError } from './node.ts';
import { sendWithHeader } from './pinBlock.ts';
import type { RpcReply } from './rpcEndpoint.ts';

/** decimals() */
const decimalsSelector = '0x313ce567';
/** A token can burn the gas of the call. */
const decimalsGas = numberToHex(200_000);
const maxDecimals = 255n;

/** Whether an address has code, its decimals, and the block of the reading. */
export interface CodeReading {
  hasCode: boolean;
  /** Undefined if the contract does not report them. */
  decimals?: number | undefined;
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
  const { header, replies } = await sendWithHeader(node, block, [
    { method: 'eth_getCode', params: [address, block] },
    { method: 'eth_call', params: [{ to: address, data: decimalsSelector, gas: decimalsGas }, block] },
  ]);
  const [reply, decimals] = replies;
  const code = resultOf(reply);
  if (!isHex(code)) {
    throw new NodeRefusedError(
      `${node.label} returned an invalid eth_getCode result for ${address} at block ${header.number}.`,
    );
  }
  node.block = header;
  return { hasCode: code !== '0x', decimals: toDecimals(decimals), blockNumber: header.number };
}

function toDecimals(reply: RpcReply | undefined): number | undefined {
  const decimals = wordOf(reply);
  return decimals !== undefined && decimals <= maxDecimals ? Number(decimals) : undefined;
}
