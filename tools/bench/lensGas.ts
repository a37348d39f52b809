import type { RpcCall } from '../../engine/index.ts';
import { createNodeClient, type SandboxChain } from '../../sandbox/index.ts';

/** Gas of a plain call, by `eth_estimateGas`. */
export const estimateGas = async (chain: SandboxChain, call: object): Promise<number> =>
  Number(await createNodeClient(chain.rpcUrl).call<string>('eth_estimateGas', [call, 'latest']));

/**
 * Gas of the lens calls among `calls`, by `debug_traceCall`. `eth_estimateGas` returns the least gas with which a call
 * succeeds, and a lens with too little gas succeeds too, with pools that it reports as unread.
 */
export async function traceGas(chain: SandboxChain, calls: readonly RpcCall[]): Promise<number> {
  const node = createNodeClient(chain.rpcUrl);
  let sum = 0;
  for (const { method, params } of calls) {
    if (method !== 'eth_call') continue;
    const [call, block, stateOverrides] = params;
    const options = { disableStorage: true, disableMemory: true, disableStack: true, stateOverrides };
    sum += (await node.call<{ gas: number }>('debug_traceCall', [call, block, options])).gas;
  }
  return sum;
}
