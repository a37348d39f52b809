import { encodeFunctionData, erc20Abi, type Hex, hexToBigInt, maxUint256 } from 'viem';
import { sendFromWallet } from '../../../sandbox/execution/walletSender.ts';
import {
  createNodeClient,
  executeRoute,
  type Movement,
  type Order,
  type OrderRunner,
  type SandboxChain,
  type SandboxWallet,
  TransactionRevertedError,
} from '../../../sandbox/index.ts';

/** Runs orders on geth as signed transactions, each in its own block. Approves every token beforehand. */
export async function createGethRunner(chain: SandboxChain, wallet: SandboxWallet): Promise<OrderRunner> {
  const node = createNodeClient(chain.rpcUrl);
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [chain.executor, maxUint256] });
  for (const { address } of chain.tokens) await sendFromWallet(node, chain.chainId, wallet, { to: address, data });

  const execute = async (order: Order): Promise<Movement> => {
    const { spent, received, transactionHash } = await executeRoute(chain, { ...order, wallet });
    const receipt = await node.call<{ gasUsed: Hex }>('eth_getTransactionReceipt', [transactionHash]);
    return { spent, received, gasUsed: hexToBigInt(receipt.gasUsed) };
  };
  return {
    async tryOrders(orders) {
      const snapshot = await node.call<Hex>('evm_snapshot');
      const movements: Movement[] = [];
      try {
        for (const order of orders) movements.push(await execute(order));
        return { movements };
      } catch (error) {
        if (error instanceof TransactionRevertedError) return { movements, reverted: error.message };
        throw error;
      } finally {
        await node.call('evm_revert', [snapshot]);
      }
    },
    keepOrder: execute,
  };
}
