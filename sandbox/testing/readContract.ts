import {
  type Abi,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
} from 'viem';
import { createNodeClient } from '../rpc/nodeClient.ts';
import type { SandboxChain } from '../sandboxTypes.ts';

interface ContractRead<abi extends Abi, name extends ContractFunctionName<abi>> {
  to: Address;
  abi: abi;
  name: name;
  args?: readonly unknown[];
}

/** Reads a contract of a sandbox chain with one eth_call and decodes the result. */
export async function readContract<const abi extends Abi, name extends ContractFunctionName<abi>>(
  chain: SandboxChain,
  { to, abi, name, args = [] }: ContractRead<abi, name>,
): Promise<
  ContractFunctionReturnType<
    abi,
    'pure' | 'view' | 'nonpayable',
    name,
    ContractFunctionArgs<abi, 'pure' | 'view' | 'nonpayable', name>
  >
> {
  const data = encodeFunctionData({ abi: abi as Abi, functionName: name as string, args });
  const answer = await createNodeClient(chain.rpcUrl).call<Hex>('eth_call', [{ to, data }, 'latest']);
  return decodeFunctionResult({ abi: abi as Abi, functionName: name as string, data: answer }) as never;
}
