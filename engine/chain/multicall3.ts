import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, isHex, multicall3Abi } from 'viem';
import type { LowerAddress } from '../lowerAddress.ts';
import { resultOf } from './batch.ts';
import type { RpcCall, RpcReply } from './rpcEndpoint.ts';
import { unlessMalformed } from './words.ts';

/** The same address on every chain. Sources: DefiLlama/DefiLlama-Adapters, Uniswap/sdks, VeloraDEX/paraswap-dex-lib. */
export const multicall3: LowerAddress = '0xca11bde05977b3631167028862be2a173976ca11';

/** One read of one contract. */
export interface ContractRead {
  to: Address;
  data: Hex;
}

/** Multicall3's own function `getBlockNumber`. */
export const blockNumberRead: ContractRead = { to: multicall3, data: '0x42cbb15c' };

/** Reads as one call at one block. A read that reverts does not fail the others; one that burns its gas may. */
export function toAggregateCall(reads: readonly ContractRead[], gas: Hex, block: Hex | 'latest'): RpcCall {
  const calls = reads.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }));
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] });
  return { method: 'eth_call', params: [{ to: multicall3, data, gas }, block] };
}

/** The result of each read. Undefined if the node did not run the call, or returned malformed data. */
export function fromAggregateReply(
  reply: RpcReply | undefined,
): readonly { success: boolean; returnData: Hex }[] | undefined {
  const data = resultOf(reply);
  if (!isHex(data)) return undefined;
  return unlessMalformed(() => decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data }));
}
