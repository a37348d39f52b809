import { type Address, encodeFunctionData, erc20Abi } from 'viem';
import type { Action } from '../chainPlan.ts';

/** Encodes a token transfer. */
export function transferOf(token: Address, to: Address, amount: bigint): Action {
  return { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] }) };
}
