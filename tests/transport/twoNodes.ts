import { byChain, createEngine, type Engine, type EnginePorts, type QuoteAnswer } from '../../engine/index.ts';
import { type RpcFault, type RpcProxy, type SandboxChain, startRpcProxy } from '../../sandbox/index.ts';
import { createHttpRpcEndpoint } from '../../server/rpc/index.ts';
import { hookedShapes, tokenOf } from '../engine/market.ts';

/** Part of the RPC URLs, like an API key; must not appear anywhere else. */
export const secret = 'secret-api-key';

export interface TwoNodes {
  /** Two proxies with configurable faults in front of one chain. */
  proxies: readonly [RpcProxy, RpcProxy];
  engineWith(ports?: Partial<EnginePorts>, count?: 1 | 2): Engine;
  /** Requests with `eth_call` at each proxy. */
  reads(): [number, number];
  clearFaults(): void;
  close(): Promise<void>;
}

export async function openTwoNodes(chain: SandboxChain): Promise<TwoNodes> {
  const proxies = [await startRpcProxy(chain.rpcUrl), await startRpcProxy(chain.rpcUrl)] as const;
  const readsOf = ({ requests }: RpcProxy) =>
    requests.filter(({ calls }) => calls.some(({ method }) => method === 'eth_call')).length;
  return {
    proxies,
    engineWith: (ports = {}, count = 2) =>
      createEngine({
        rpc: {
          [chain.name]: proxies.slice(0, count).map(({ url }, at) =>
            createHttpRpcEndpoint({
              url: `${url}/v2/${secret}`,
              label: `${chain.name}-${at + 1}`,
              timeoutMs: 20_000,
            }),
          ),
        },
        now: Date.now,
        freshnessMs: byChain(() => 0),
        deadlineMs: 20_000,
        extraV4Shapes: { [chain.name]: hookedShapes(chain) },
        ...ports,
      }),
    reads: () => [readsOf(proxies[0]), readsOf(proxies[1])],
    clearFaults() {
      for (const proxy of proxies) {
        proxy.fault = () => undefined;
        proxy.requests.length = 0;
      }
    },
    async close() {
      for (const proxy of proxies) await proxy.close();
    },
  };
}

/** Applies the fault to every request. */
export function always(proxy: RpcProxy, fault: RpcFault): void {
  proxy.fault = () => fault;
}

export function queriesOn(chain: SandboxChain) {
  return (tokenIn: string, tokenOut: string, size: string) => ({
    chain: chain.name,
    tokenIn: tokenOf(chain, tokenIn).address,
    tokenOut: tokenOf(chain, tokenOut).address,
    size: { tokenIn: size },
  });
}

/** The fields on which two reads of one block must agree. Gas estimates depend on the read itself. */
export function priced({ ts, validUntil, flags, ...answer }: QuoteAnswer) {
  return { ...answer, flags: flags.filter(({ code }) => code !== 'ROUTE_GAS') };
}
