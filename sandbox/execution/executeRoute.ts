import { decodeEventLog, encodeFunctionData, erc20Abi, type Hex, hexToBigInt, maxUint256 } from 'viem';
import { routeExecutorArtifact } from '../../contracts/artifacts/sandbox/RouteExecutor.ts';
import { createNodeClient, type NodeClient } from '../rpc/nodeClient.ts';
import type { ExecutableLeg, SandboxChain, SandboxWallet } from '../sandboxTypes.ts';
import { encodeExecution } from './encodeLegs.ts';
import { swapKinds } from './swapKinds.ts';
import { sendFromWallet } from './walletSender.ts';

export interface RouteExecution {
  /** Increase of the wallet's balance of the last leg's tokenOut, in base units. */
  received: bigint;
  /** Decrease of the wallet's balance of the first leg's tokenIn, in base units. */
  spent: bigint;
  transactionHash: Hex;
  blockNumber: bigint;
}

export interface RouteOrder {
  legs: readonly ExecutableLeg[];
  /** Base units of the first leg's tokenIn; for a split plan the total amount sold. */
  amountIn: bigint;
  wallet: SandboxWallet;
}

/**
 * Swaps a route or a split plan in one real transaction, the whole amount or not at all, and measures what the wallet
 * received. Tests compare quotes with it. Approves the executor first if necessary.
 * @throws {UnknownPoolError} the pool of a leg is not in the sandbox
 * @throws {TransactionRevertedError} a pool fills only a part, or a token reverts
 */
export async function executeRoute(
  chain: SandboxChain,
  { legs, amountIn, wallet }: RouteOrder,
): Promise<RouteExecution> {
  const [first] = legs;
  if (!first) throw new TypeError('A route needs at least one leg.');
  const node = createNodeClient(chain.rpcUrl);
  const { abi } = routeExecutorArtifact;
  const data = encodeExecution(chain, await swapKinds(chain.name), { legs, amountIn }, wallet.address);
  await approveExecutor(node, chain, wallet, first, amountIn);
  const receipt = await sendFromWallet(node, chain.chainId, wallet, { to: chain.executor, data });
  const log = receipt.logs.findLast(({ address }) => address.toLowerCase() === chain.executor.toLowerCase());
  if (!log) throw new TypeError(`The executor emitted no event in ${receipt.transactionHash}.`);
  const { args } = decodeEventLog({ abi, eventName: 'Executed', topics: log.topics, data: log.data });
  return { ...args, transactionHash: receipt.transactionHash, blockNumber: hexToBigInt(receipt.blockNumber) };
}

async function approveExecutor(
  node: NodeClient,
  chain: SandboxChain,
  wallet: SandboxWallet,
  { tokenIn }: ExecutableLeg,
  amountIn: bigint,
): Promise<void> {
  const query = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'allowance',
    args: [wallet.address, chain.executor],
  });
  const allowed = await node.call<Hex>('eth_call', [{ to: tokenIn, data: query }, 'latest']);
  if (allowed !== '0x' && hexToBigInt(allowed) >= amountIn) return;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [chain.executor, maxUint256] });
  await sendFromWallet(node, chain.chainId, wallet, { to: tokenIn, data });
}
