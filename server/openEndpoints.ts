import type { ChainName, RpcEndpoint } from '../engine/index.ts';
import type { Config } from './config/index.ts';
import type { Environment } from './environment.ts';
import type { Instrumentation } from './observability/instrumentation/instrumentation.ts';
import { instrumentEndpoint } from './observability/instrumentation/instrumentPorts.ts';
import { createHttpRpcEndpoint, type Paces } from './rpc/index.ts';

export type ChainEndpoints = Partial<Record<ChainName, readonly RpcEndpoint[]>>;

/** Opens the endpoint of each RPC URL, with its pace. */
export function openEndpoints(
  config: Config,
  { rpcUrls }: Environment,
  instrumentation: Instrumentation,
  paces: Paces,
): ChainEndpoints {
  const chains = Object.entries(rpcUrls) as [ChainName, readonly string[]][];
  return Object.fromEntries(
    chains.map(([chain, urls]) => [
      chain,
      urls.map((url, index) => {
        const label = `${chain}-${index + 1}`;
        const endpoint = createHttpRpcEndpoint({ url, label, timeoutMs: config.deadlineMs, pace: paces.of(url) });
        return instrumentEndpoint(instrumentation, chain, index + 1, endpoint);
      }),
    ]),
  );
}
