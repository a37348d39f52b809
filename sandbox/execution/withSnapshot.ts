import { createNodeClient } from '../rpc/nodeClient.ts';
import type { SandboxChain } from '../sandboxTypes.ts';

/** Runs a function and then reverts the chain, also on failure. Not for concurrent use on one chain. */
export async function withSnapshot<T>(chain: SandboxChain, run: () => Promise<T>): Promise<T> {
  const node = createNodeClient(chain.rpcUrl);
  const snapshot = await node.call<string>('evm_snapshot');
  try {
    return await run();
  } finally {
    await node.call('evm_revert', [snapshot]);
    // The pool still contains the reverted transactions, which would be mined again.
    await node.call('anvil_dropAllTransactions');
  }
}
