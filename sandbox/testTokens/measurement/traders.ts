import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  hexToBigInt,
  hexToNumber,
  keccak256,
  numberToHex,
  toHex,
} from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { MinedReceipt } from '../../execution/walletSender.ts';
import { NodeCallError, type NodeClient } from '../../rpc/nodeClient.ts';
import type { Transaction } from '../sendTransactions.ts';

export type GasPriceLevel = 'ordinary' | 'high';

/** A tip of 100 gwei exceeds the threshold of every test token; the ordinary price stays below 1 gwei. */
const fees: Record<GasPriceLevel, { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }> = {
  ordinary: { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_300_000n },
  high: { maxFeePerGas: 200_000_000_000n, maxPriorityFeePerGas: 100_000_000_000n },
};
const gas = 12_000_000n;

/** A trading wallet. `through` wraps a transaction for a contract wallet, whose owner signs. */
export interface Trader {
  address: Address;
  key: PrivateKeyAccount;
  through(transaction: Transaction): Transaction;
}

/** A new ordinary wallet, without code or earlier transactions. */
export function freshWallet(name: string): Trader {
  const key = privateKeyToAccount(keccak256(toHex(`truefill zoo judge: ${name}`)));
  return { address: key.address, key, through: (transaction) => transaction };
}

/** Signs and submits transactions in order, without mining. */
export async function submit(
  node: NodeClient,
  { key, through }: Trader,
  transactions: readonly Transaction[],
  gasPriceLevel: GasPriceLevel = 'ordinary',
): Promise<Hex[]> {
  const nonce = hexToNumber(await node.call<Hex>('eth_getTransactionCount', [key.address, 'latest']));
  const signed = await Promise.all(
    transactions.map((transaction, index) =>
      key.signTransaction({
        ...through(transaction),
        ...fees[gasPriceLevel],
        chainId: 8453,
        gas,
        nonce: nonce + index,
        type: 'eip1559',
      }),
    ),
  );
  return node.batch<Hex>(signed.map((transaction) => ({ method: 'eth_sendRawTransaction', params: [transaction] })));
}

/** Signs and submits transactions, then mines one block. */
export async function sendAndMine(
  node: NodeClient,
  trader: Trader,
  transactions: readonly Transaction[],
  gasPriceLevel: GasPriceLevel = 'ordinary',
): Promise<MinedReceipt[]> {
  return mine(node, await submit(node, trader, transactions, gasPriceLevel));
}

/** Sends from an account that the node has unlocked, then mines one block. */
export async function sendUnlockedAndMine(
  node: NodeClient,
  from: Address,
  transactions: readonly Transaction[],
): Promise<MinedReceipt[]> {
  const nonce = hexToNumber(await node.call<Hex>('eth_getTransactionCount', [from, 'latest']));
  const hashes = await node.batch<Hex>(
    transactions.map(({ value = 0n, ...transaction }, index) => ({
      method: 'eth_sendTransaction',
      params: [
        { from, ...transaction, value: numberToHex(value), gas: numberToHex(gas), nonce: numberToHex(nonce + index) },
      ],
    })),
  );
  return mine(node, hashes);
}

async function mine(node: NodeClient, hashes: readonly Hex[]): Promise<MinedReceipt[]> {
  // A separate request, because the node executes the calls of a batch concurrently.
  await node.call('evm_mine');
  const receipts = await node.batch<MinedReceipt | null>(
    hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  );
  const missing = receipts.findIndex((receipt) => !receipt);
  if (missing >= 0) throw new Error(`Transaction ${hashes[missing]} is not in the block that was mined for it.`);
  return receipts as MinedReceipt[];
}

export const succeeded = (receipts: readonly MinedReceipt[]): boolean =>
  receipts.every(({ status }) => status === '0x1');

/** Seconds between blocks. */
const blockSeconds = 2;

/**
 * Mines each block at a fixed interval after the previous one. Balances of some tokens grow with time, so taxes would
 * otherwise depend on the speed of the machine.
 */
export async function useSteadyClock(node: NodeClient): Promise<void> {
  await node.call('anvil_setBlockTimestampInterval', [blockSeconds]);
}

/** Mines blocks, then, if `seconds` is not 0, one more at that time after the last. */
export async function advanceBlocks(node: NodeClient, blocks: number, seconds = 0): Promise<void> {
  await node.call('anvil_mine', [numberToHex(blocks), numberToHex(blockSeconds)]);
  if (seconds === 0) return;
  const { timestamp } = await node.call<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false]);
  // A steady clock ignores evm_increaseTime.
  await node.call('evm_setNextBlockTimestamp', [hexToNumber(timestamp) + seconds]);
  await node.call('evm_mine');
}

/** Runs `run` and then reverts the chain to its earlier state. */
export async function withRevert<T>(node: NodeClient, run: () => Promise<T>): Promise<T> {
  const snapshot = await node.call<string>('evm_snapshot');
  try {
    return await run();
  } finally {
    await node.call('evm_revert', [snapshot]);
  }
}

/** Calls a contract; undefined if the call reverts. */
export async function callContract(node: NodeClient, to: Address, data: Hex): Promise<Hex | undefined> {
  try {
    return await node.call<Hex>('eth_call', [{ to, data, gas: numberToHex(gas) }, 'latest']);
  } catch (error) {
    if (error instanceof NodeCallError && /revert|OutOfGas|out of gas/i.test(error.message)) return undefined;
    throw error;
  }
}

export async function balanceOf(node: NodeClient, token: Address, holder: Address): Promise<bigint> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [holder] });
  return hexToBigInt((await node.call<Hex>('eth_call', [{ to: token, data }, 'latest'])).slice(0, 66) as Hex);
}
