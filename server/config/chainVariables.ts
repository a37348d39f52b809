import { type ChainName, chainNames, deployments } from '../../engine/index.ts';
import { urlList, whole } from './formats.ts';
import { variableFacts } from './variableFacts.ts';

// Each chain in engine/venues/deployments has its own RPC_URL_<CHAIN> and FRESHNESS_MS_<CHAIN>.

type RpcUrlName = `RPC_URL_${Uppercase<ChainName>}`;
type FreshnessName = `FRESHNESS_MS_${Uppercase<ChainName>}`;

export const rpcUrlName = (chain: ChainName) => `RPC_URL_${chain.toUpperCase()}` as RpcUrlName;
export const freshnessName = (chain: ChainName) => `FRESHNESS_MS_${chain.toUpperCase()}` as FreshnessName;

/** The labels of all chains in prose, e.g. "Base, Polygon and Arbitrum". */
export const chainLabels = new Intl.ListFormat('en-GB').format(chainNames.map((chain) => deployments[chain].label));

export const rpcUrlVariables = Object.fromEntries(
  chainNames.map((chain) => [rpcUrlName(chain), rpcUrlVariable(chain)]),
) as Record<RpcUrlName, ReturnType<typeof rpcUrlVariable>>;

export const freshnessVariables = Object.fromEntries(
  chainNames.map((chain) => [freshnessName(chain), freshnessVariable(chain)]),
) as Record<FreshnessName, ReturnType<typeof freshnessVariable>>;

function rpcUrlVariable(chain: ChainName) {
  return urlList.optional().register(variableFacts, {
    section: 'Chains',
    description: `RPC URLs of ${deployments[chain].label}, separated by commas, best first. A chain without a URL is not served.`,
    isPrivate: true,
  });
}

function freshnessVariable(chain: ChainName) {
  const { label, freshnessMs } = deployments[chain];
  return whole(0, 600_000)
    .default(freshnessMs)
    .register(variableFacts, {
      section: 'Answers',
      description: `Milliseconds for which an answer on ${label} is valid (validUntil).`,
    });
}

/** The RPC URLs of each chain that has any. */
export function readRpcUrls<T>(env: Partial<Record<RpcUrlName, T | undefined>>): Partial<Record<ChainName, T>> {
  const given = chainNames.flatMap((chain) => {
    const urls = env[rpcUrlName(chain)];
    return urls === undefined ? [] : [[chain, urls] as const];
  });
  return Object.fromEntries(given) as Partial<Record<ChainName, T>>;
}
