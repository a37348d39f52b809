import type { RpcCall } from '../../engine/index.ts';
import type { SandboxChain } from '../../sandbox/index.ts';

export async function askNode<T>(chain: SandboxChain, method: string, params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const reply = await fetch(chain.rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { result, error } = (await reply.json()) as { result?: T; error?: { message: string } };
  if (result === undefined) throw new Error(`${method}: ${error?.message}`);
  return result;
}

export const estimateGas = async (chain: SandboxChain, call: object): Promise<number> =>
  Number(await askNode<string>(chain, 'eth_estimateGas', [call, 'latest']));

/**
 * Gas of the lens calls among `calls`. `eth_estimateGas` does not work here: it searches for the least gas at which the call
 * succeeds, and a lens succeeds with very little and reports pools as unread.
 */
export async function traceGas(chain: SandboxChain, calls: readonly RpcCall[]): Promise<number> {
  let sum = 0;
  for (const { method, params } of calls) {
    if (method !== 'eth_call') continue;
    const [call, block, stateOverrides] = params;
    const options = { disableStorage: true, disableMemory: true, disableStack: true, stateOverrides };
    sum += (await askNode<{ gas: number }>(chain, 'debug_traceCall', [call, block, options])).gas;
  }
  return sum;
}
