import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  isHex,
  parseAbi,
  prepareEncodeFunctionData,
} from 'viem';
import { type ChainCall, ChainUnreachableError, multicall3 } from '../../chainCall.ts';
import type { Funds, OpenPayment } from '../../facilitator.ts';
import { bytes } from './nodeAnswers.ts';
import { usdcAbi } from './usdcAbi.ts';

export const multicallAbi = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[])',
  'function getCurrentBlockTimestamp() view returns (uint256)',
]);
const balanceOf = prepareEncodeFunctionData({
  abi: parseAbi(['function balanceOf(address) view returns (uint256)']),
  functionName: 'balanceOf',
});

/** Maximum number of open payments that are read. Further ones count as not included yet. */
const maxStates = 200;

/** Makes several calls at one block, through Multicall3. @throws {ChainUnreachableError} @throws {JsonRpcError} */
export async function callTogether(
  callVerified: ChainCall,
  calls: readonly { target: Address; callData: Hex }[],
): Promise<readonly { success: boolean; returnData: Hex }[]> {
  const data = encodeTogether(calls);
  return decodeTogether(await callVerified('eth_call', [{ to: multicall3, data }, 'latest'], bytes));
}

/** Call data of Multicall3 for several calls, each allowed to fail alone. */
export function encodeTogether(calls: readonly { target: Address; callData: Hex }[]): Hex {
  const args = [calls.map((call) => ({ ...call, allowFailure: true }))] as const;
  return encodeFunctionData({ abi: multicallAbi, functionName: 'aggregate3', args });
}

/** @throws {ChainUnreachableError} the node did not return a result of Multicall3 */
export function decodeTogether(reply: Hex): readonly { success: boolean; returnData: Hex }[] {
  try {
    return decodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', data: reply });
  } catch (cause) {
    throw new ChainUnreachableError('The node did not return a valid Multicall3 result.', { cause });
  }
}

/** The returned 256-bit word; undefined if the call failed or returned data of another length. */
export const toWord = ({ success, returnData }: { success: boolean; returnData: Hex }): bigint | undefined =>
  success && isHex(returnData) && returnData.length === 66 ? BigInt(returnData) : undefined;

export const balanceUnread = () => new ChainUnreachableError("The payer's balance could not be read.");

const balanceCall = (asset: Address, payer: Address) => ({
  target: asset,
  callData: encodeFunctionData({ ...balanceOf, args: [payer] }),
});

/**
 * Balances at one block, in raw units. A payer whose balance could not be read is absent.
 * @throws {ChainUnreachableError} @throws {JsonRpcError}
 */
export async function readEvmBalances(
  callVerified: ChainCall,
  asset: Address,
  payers: readonly Address[],
): Promise<ReadonlyMap<Address, bigint>> {
  const results = await callTogether(
    callVerified,
    payers.map((payer) => balanceCall(asset, payer)),
  );
  return new Map(
    results.map(toWord).flatMap((balance, index) => {
      const payer = payers[index];
      return payer && balance !== undefined ? [[payer, balance] as const] : [];
    }),
  );
}

/** The payer's balance and the state of its open authorizations, all at one block. @see Facilitator.readFunds */
export async function readEvmFunds(
  callVerified: ChainCall,
  asset: Address,
  payer: Address,
  open: readonly OpenPayment[],
): Promise<Funds> {
  const read = open.slice(0, maxStates);
  const results = await callTogether(callVerified, [
    balanceCall(asset, payer),
    ...read.map(({ key }) => ({
      target: asset,
      callData: encodeFunctionData({
        abi: usdcAbi,
        functionName: 'authorizationState',
        // The key ends with the authorization's nonce.
        args: [payer, key.slice(key.lastIndexOf('|') + 1) as Hex],
      }),
    })),
  ]);
  const [balance, ...states] = results.map(toWord);
  if (balance === undefined) throw balanceUnread();
  const ended = new Set(read.flatMap(({ key }, index) => (states[index] === 1n ? [key] : [])));
  return { balance, ended };
}
