import type { Hex } from 'viem';
import type { LensRequest, StateOverride } from '../../../engine/chain/lensCall.ts';
import type { RpcCall, RpcReply } from '../../../engine/chain/rpcEndpoint.ts';
import { testNode } from './testNode.ts';

/** The header of the block in which the lenses of these tests run. */
export const header = {
  number: '0x10',
  timestamp: '0x10',
  hash: `0x${'11'.repeat(32)}`,
  parentHash: `0x${'22'.repeat(32)}`,
  baseFeePerGas: '0x1',
};

export const word = (value: bigint | number | Hex) =>
  typeof value === 'string' ? value.slice(2) : value.toString(16).padStart(64, '0');
/** The shortest answer of a lens in the block of `header`. */
export const answer: Hex = `0x${[3, 0, 0x10, 0x10, header.parentHash as Hex, 0, 0, 0, 0, 7].map(word).join('')}`;
export const code: Hex = '0x6001';
export const [deployedAt, lensAddress, trader] = ['d1', 'e1', 'a1'].map((byte) => `0x${byte.repeat(20)}` as const) as [
  Hex,
  Hex,
  Hex,
];
export const request: LensRequest = {
  data: '0x12345678',
  block: 'latest',
  lens: { runtime: code, deployedAt },
  parties: { lens: lensAddress, trader },
};

interface SentCall {
  from: Hex;
  to: Hex;
  gas: Hex;
  maxFeePerGas: Hex;
  maxPriorityFeePerGas: Hex;
  data: Hex;
}
export const partsOf = ({ params }: RpcCall) => params as [SentCall, Hex, StateOverride];
export const codeAt = (call: RpcCall | undefined, address: Hex) => call && partsOf(call)[2][address]?.code;

/** A node that replies to each `eth_call` in turn, the last reply again and again; records these calls. */
export function nodeWith(
  replies: readonly RpcReply[],
  headers: readonly object[] = [header],
  chain: 'base' | 'arbitrum' = 'base',
) {
  const sent: RpcCall[] = [];
  let read = 0;
  const node = testNode({
    chain,
    send: async (calls) =>
      calls.map((call) => {
        if (call.method === 'eth_getBlockByNumber') return { result: headers[Math.min(read++, headers.length - 1)] };
        sent.push(call);
        return replies[Math.min(sent.length, replies.length) - 1] ?? { result: null };
      }),
  });
  return { node, sent };
}
export const failed = (message: string, errorCode = -32_000): RpcReply => ({ error: { code: errorCode, message } });
