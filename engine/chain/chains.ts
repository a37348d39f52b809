import { type ChainName, type ChainWord, deployments } from '../venues/deployments/deployments.ts';

export type { ChainName, ChainWord };

export const chainNames = Object.keys(deployments) as [ChainName, ...ChainName[]];

/** One value for each chain, by its name. */
export function byChain<T>(toValue: (chain: ChainName) => T): Record<ChainName, T> {
  return Object.fromEntries(chainNames.map((chain) => [chain, toValue(chain)])) as Record<ChainName, T>;
}

/** EIP-155 chain ids. */
export const chainIds = byChain((chain) => deployments[chain].chainId);
