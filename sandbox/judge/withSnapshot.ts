import { createNodeClient } from '../rpc/nodeClient.ts';
import type { SandboxChain } from '../sandboxTypes.ts';

/** Runs something on a chain and puts the chain back as it was, also when it fails. Not for two at once on one chain. */
export async function withSnapshot<T>(chain: SandboxChain, run: () => Promise<T>): Promise<T> {
  const node = createNodeClient(chain.rpcUrl);
  const snapshot = await node.call<string>('evm_snapshot');
  try {
    return await run();
  } finally {
    await node.call('evm_revert', [snapshot]);
    // A transaction that is undone must not be mined again.
    await node.call('anvil_dropAllTransactions');
  }
}
