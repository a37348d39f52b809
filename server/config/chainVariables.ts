import { type ChainName, chainNames, deployments } from '../../engine/index.ts';
import { budgetList, urlList, whole } from './formats.ts';
import { variableFacts } from './variableFacts.ts';

// Each chain in engine/venues/deployments has its own RPC_URL_<CHAIN>, RPC_BUDGET_<CHAIN> and FRESHNESS_MS_<CHAIN>.

type RpcUrlName = `RPC_URL_${Uppercase<ChainName>}`;
type RpcBudgetName = `RPC_BUDGET_${Uppercase<ChainName>}`;
type FreshnessName = `FRESHNESS_MS_${Uppercase<ChainName>}`;

export const rpcUrlName = (chain: ChainName) => `RPC_URL_${chain.toUpperCase()}` as RpcUrlName;
const rpcBudgetName = (chain: ChainName) => `RPC_BUDGET_${chain.toUpperCase()}` as RpcBudgetName;
export const freshnessName = (chain: ChainName) => `FRESHNESS_MS_${chain.toUpperCase()}` as FreshnessName;

/** The labels of all chains in prose, e.g. "Base, Polygon and Arbitrum". */
export const chainLabels = new Intl.ListFormat('en-GB').format(chainNames.map((chain) => deployments[chain].label));

export const rpcUrlVariables = Object.fromEntries(
  chainNames.map((chain) => [rpcUrlName(chain), rpcUrlVariable(chain)]),
) as Record<RpcUrlName, ReturnType<typeof rpcUrlVariable>>;

export const rpcBudgetVariables = Object.fromEntries(
  chainNames.map((chain) => [rpcBudgetName(chain), rpcBudgetVariable(chain)]),
) as Record<RpcBudgetName, ReturnType<typeof rpcBudgetVariable>>;

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

function rpcBudgetVariable(chain: ChainName) {
  return budgetList.optional().register(variableFacts, {
    section: 'Chains',
    description:
      `Rate limit of each RPC URL of ${deployments[chain].label} per second, in the order of the URLs: 500 units (as Alchemy counts calls) or 25 calls. ` +
      'Default: learnt from HTTP 429. Divide the budget of an account by its chains.',
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

/** The budgets of each chain that has any, in the order of its RPC URLs. */
export function readRpcBudgets<T>(env: Partial<Record<RpcBudgetName, T | undefined>>): Partial<Record<ChainName, T>> {
  const given = chainNames.flatMap((chain) => {
    const budgets = env[rpcBudgetName(chain)];
    return budgets === undefined ? [] : [[chain, budgets] as const];
  });
  return Object.fromEntries(given) as Partial<Record<ChainName, T>>;
}

/** The RPC URLs of each chain that has any. */
export function readRpcUrls<T>(env: Partial<Record<RpcUrlName, T | undefined>>): Partial<Record<ChainName, T>> {
  const given = chainNames.flatMap((chain) => {
    const urls = env[rpcUrlName(chain)];
    return urls === undefined ? [] : [[chain, urls] as const];
  });
  return Object.fromEntries(given) as Partial<Record<ChainName, T>>;
}
