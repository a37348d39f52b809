import { BaseError, decodeFunctionResult, encodeFunctionData, erc20Abi, type Hex, multicall3Abi } from 'viem';
import { z } from 'zod';
import { type LowerAddress, multicall3 } from '../ports.ts';
import type { LogRpc } from './logRpc.ts';
import { blockParam } from './logRpc.ts';

const walletsPerCall = 500;
const hexData = z
  .string()
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/)
  .transform((value) => value as Hex);

export interface HolderBalances {
  totalSupply: bigint;
  /** In the order of the wallets. */
  balances: bigint[];
}

/**
 * Reads `totalSupply` and the balance of each wallet at one block.
 *
 * @returns undefined when a value could not be read: the token reverts or returns no uint256, the node has pruned the
 * block's state, or the chain has no Multicall3
 */
export async function readHolderBalances(
  rpc: LogRpc,
  token: LowerAddress,
  wallets: readonly LowerAddress[],
  block: number,
): Promise<HolderBalances | undefined> {
  const calls = [
    encodeFunctionData({ abi: erc20Abi, functionName: 'totalSupply' }),
    ...wallets.map((wallet) => encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [wallet] })),
  ];
  const chunks = Array.from({ length: Math.ceil(calls.length / walletsPerCall) }, (_, index) =>
    calls.slice(index * walletsPerCall, (index + 1) * walletsPerCall),
  );
  const replies = await rpc.send(
    chunks.map((chunk) => ({
      method: 'eth_call',
      params: [{ to: multicall3, data: encodeAll(token, chunk) }, blockParam(block)],
    })),
  );
  const answers = replies.flatMap((reply, index) => {
    const data = 'result' in reply ? hexData.safeParse(reply.result).data : undefined;
    return decodeAll(data, chunks[index]?.length ?? 0);
  });
  const [totalSupply, ...balances] = answers;
  const complete = balances.filter((balance) => balance !== undefined);
  if (totalSupply === undefined || complete.length !== wallets.length) return undefined;
  return { totalSupply, balances: complete };
}

function encodeAll(token: LowerAddress, calls: readonly Hex[]): Hex {
  const targets = calls.map((callData) => ({ target: token, allowFailure: true, callData }));
  return encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [targets] });
}

function decodeAll(data: Hex | undefined, expected: number): (bigint | undefined)[] {
  const results = data === undefined ? [] : decodeResults(data);
  if (results.length !== expected) return [undefined];
  return results.map(({ success, returnData }) =>
    success && returnData.length === 66 ? BigInt(returnData) : undefined,
  );
}

function decodeResults(data: Hex) {
  try {
    return decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data });
  } catch (error) {
    // viem throws BaseError for data of another shape: the chain has no Multicall3.
    if (error instanceof BaseError) return [];
    throw error;
  }
}
