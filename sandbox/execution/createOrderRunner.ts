import {
  decodeEventLog,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  hexToBigInt,
  hexToNumber,
  maxUint256,
  numberToHex,
} from 'viem';
import { routeExecutorArtifact } from '../../contracts/artifacts/sandbox/RouteExecutor.ts';
import { createNodeClient, NodeCallError, type NodeClient } from '../rpc/nodeClient.ts';
import type { ExecutableLeg, SandboxChain, SandboxWallet } from '../sandboxTypes.ts';
import { encodeExecution } from './encodeLegs.ts';
import { swapKinds } from './swapKinds.ts';
import { type MinedReceipt, TransactionRevertedError } from './walletSender.ts';

/** Balance changes of the trader in one transaction, in base units. */
export interface Movement {
  spent: bigint;
  received: bigint;
  /** Gas of the transaction. */
  gasUsed: bigint;
}

export interface Order {
  legs: readonly ExecutableLeg[];
  /** Base units of the first leg's tokenIn; for a split plan the total amount sold. */
  amountIn: bigint;
}

/** Executes many orders quickly. Not for concurrent use on one chain. */
export interface OrderRunner {
  /**
   * Mines the orders one after another, each in its own block with the previous block's timestamp, and then restores the
   * chain. A `reverted` order with its reason ends the sequence.
   * @throws {UnknownPoolError}
   */
  tryOrders(orders: readonly Order[]): Promise<{ movements: Movement[]; reverted?: string }>;
  /**
   * Mines one order permanently, `seconds` after the previous block.
   * @throws {UnknownPoolError | TransactionRevertedError}
   */
  keepOrder(order: Order, seconds: number): Promise<Movement>;
}

const gas = numberToHex(20_000_000);

/**
 * Runs orders as `wallet`. Sends the transactions of `executeRoute` without signing and polling: the node impersonates the
 * account and returns the receipt. Approves every token beforehand.
 */
export async function createOrderRunner(chain: SandboxChain, wallet: SandboxWallet): Promise<OrderRunner> {
  const node = createNodeClient(chain.rpcUrl);
  const kinds = await swapKinds(chain.name);
  const { abi } = routeExecutorArtifact;
  await node.call('anvil_impersonateAccount', [wallet.address]);
  const send = (to: Hex, data: Hex) =>
    node.call<MinedReceipt>('eth_sendTransactionSync', [{ from: wallet.address, to, data, gas }]);
  const approval = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [chain.executor, maxUint256] });
  for (const { address } of chain.tokens) await send(address, approval);

  const execute = async (order: Order): Promise<Movement | { data: Hex }> => {
    const data = encodeExecution(chain, kinds, order, wallet.address);
    const { status, logs, gasUsed } = await send(chain.executor, data);
    if (status !== '0x1') return { data };
    const log = logs.findLast(({ address }) => address.toLowerCase() === chain.executor.toLowerCase());
    if (!log) throw new TypeError('The executor emitted no event.');
    const { args } = decodeEventLog({ abi, eventName: 'Executed', topics: log.topics, data: log.data });
    return { ...args, gasUsed: hexToBigInt(gasUsed) };
  };
  const reasonOf = async (data: Hex): Promise<string> => {
    try {
      await node.call('eth_call', [{ from: wallet.address, to: chain.executor, data, gas }, 'latest']);
    } catch (error) {
      if (!(error instanceof NodeCallError)) throw error;
      return error.message;
    }
    return 'the same call succeeds one block later';
  };

  // After a snapshot is reverted, its transactions stay in the node's pool for a moment. New orders with their nonces
  // would be dropped, so every order gets a new nonce.
  let nonce = hexToNumber(await node.call<Hex>('eth_getTransactionCount', [wallet.address, 'latest']));
  return {
    async tryOrders(orders) {
      const timestamp = await readTime(node);
      const snapshot = await node.call<string>('evm_snapshot');
      await node.call('anvil_setNonce', [wallet.address, numberToHex(nonce)]);
      nonce += orders.length;
      const movements: Movement[] = [];
      try {
        for (const order of orders) {
          await node.call('evm_setNextBlockTimestamp', [timestamp]);
          const outcome = await execute(order);
          if ('data' in outcome) return { movements, reverted: await reasonOf(outcome.data) };
          movements.push(outcome);
        }
        return { movements };
      } finally {
        await node.call('evm_revert', [snapshot]);
      }
    },
    async keepOrder(order, seconds) {
      await node.call('anvil_setNonce', [wallet.address, numberToHex(nonce++)]);
      await node.call('evm_setNextBlockTimestamp', [(await readTime(node)) + seconds]);
      const outcome = await execute(order);
      if (!('data' in outcome)) return outcome;
      throw new TransactionRevertedError(await reasonOf(outcome.data), undefined);
    },
  };
}

async function readTime(node: NodeClient): Promise<number> {
  const { timestamp } = await node.call<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false]);
  return hexToNumber(timestamp);
}
