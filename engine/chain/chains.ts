import { deployments } from '../venues/deployments/deployments.ts';

/** The name of a supported chain in responses. */
export type ChainName = keyof typeof deployments;

export const chainNames = Object.keys(deployments) as [ChainName, ...ChainName[]];

/** One value for each chain, by its name. */
export function byChain<T>(toValue: (chain: ChainName) => T): Record<ChainName, T> {
  return Object.fromEntries(chainNames.map((chain) => [chain, toValue(chain)])) as Record<ChainName, T>;
}

/** EIP-155 chain ids. */
export const chainIds = byChain((chain) => deployments[chain].chainId);
