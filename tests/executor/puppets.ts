import {
  type Address,
  decodeErrorResult,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  numberToHex,
  toFunctionSelector,
  zeroAddress,
} from 'viem';
import { executorArtifact } from '../../contracts/artifacts/executor/Executor.ts';
import { puppetArtifact } from '../../contracts/artifacts/sandbox/Puppet.ts';
import { NodeCallError } from '../../sandbox/rpc/nodeClient.ts';
import type { senderOn } from './openMarket.ts';
import { type ExecuteInput, executeCall } from './plans.ts';

type Sender = Awaited<ReturnType<typeof senderOn>>;
export interface Call {
  to: Address;
  data: Hex;
}

export const words = (...values: bigint[]) =>
  `0x${values.map((value) => BigInt.asUintN(256, value).toString(16).padStart(64, '0')).join('')}` as Hex;
const selectorOf = (signature: string): Hex => (signature === '' ? '0x00000000' : toFunctionSelector(signature));
export const erc20Call = (
  token: Address,
  functionName: 'approve' | 'transfer',
  account: Address,
  amount: bigint,
): Call => ({ to: token, data: encodeFunctionData({ abi: erc20Abi, functionName, args: [account, amount] }) });

/** The callback of a concentrated pool that charges `owed` of token0 and of token1. */
export const callbackData = (owed: bigint) =>
  `${toFunctionSelector('uniswapV3SwapCallback(int256,int256,bytes)')}${words(owed, owed, 96n, 0n).slice(2)}` as Hex;

/** Places contracts/sandbox/hostile/Puppet.sol at an address. */
export async function placePuppet(sender: Sender, place: number | Address) {
  const address = typeof place === 'number' ? getAddress(`0x${place.toString(16).padStart(2, '0').repeat(20)}`) : place;
  await sender.node.call('anvil_setCode', [address, puppetArtifact.runtime]);
  const encode = (functionName: 'teach' | 'add', args: readonly unknown[]) =>
    encodeFunctionData({ abi: puppetArtifact.abi, functionName, args } as never);
  const teachData = (signature: string, { to, data }: Call, reply: Hex) =>
    encode('teach', [selectorOf(signature), to, data, reply]);
  const nothing: Call = { to: zeroAddress, data: '0x' };
  return {
    address,
    /** For a function: its calls in order, then the reply. */
    async teach(signature: string, calls: readonly Call[], reply: Hex = '0x') {
      const [first = nothing, ...more] = calls;
      await sender.send({ to: address, data: teachData(signature, first, reply) });
      for (const { to, data } of more)
        await sender.send({ to: address, data: encode('add', [selectorOf(signature), to, data]) });
    },
    /** The call by which the puppet changes one of its own replies. */
    replyLater: (signature: string, reply: Hex): Call => ({ to: address, data: teachData(signature, nothing, reply) }),
    call: (signature: string): Call => ({ to: address, data: selectorOf(signature) }),
    async counts() {
      const read = async (name: 'succeeded' | 'failed') => {
        const data = encodeFunctionData({ abi: puppetArtifact.abi, functionName: name });
        return Number(await sender.node.call<Hex>('eth_call', [{ to: address, data }, 'latest']));
      };
      return [await read('succeeded'), await read('failed')];
    },
  };
}

/** Name of the error with which `execute` reverts; undefined if it succeeds. */
export async function errorOf(sender: Sender, from: Address, input: ExecuteInput): Promise<string | undefined> {
  const { to, data, value } = executeCall(input);
  const call = { from, to, data, value: numberToHex(value), gas: numberToHex(15_000_000) };
  try {
    await sender.node.call('eth_call', [call, 'latest']);
    return undefined;
  } catch (error) {
    if (!(error instanceof NodeCallError)) throw error;
    const found = error.data as Hex | undefined;
    if (!found || found === '0x') return 'no data';
    try {
      return decodeErrorResult({ abi: executorArtifact.abi, data: found }).errorName;
    } catch {
      return found;
    }
  }
}
