import { type Address, getAddress, type Hex } from 'viem';
import { type ChainName, chainIds, deployments } from '../../engine/index.ts';
import type { EvmNetworkConfig, NativePricing, Settler, SvmNetworkConfig } from './paymentConfig.ts';
import { solanaUsdc, usdcDomain } from './usdc.ts';

/** CAIP-2 of Solana's mainnet: the first half of its genesis hash. */
export const solanaNetwork = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

/** The price sources of a chain's native coin. @throws {TypeError} the chain has no feed of its native coin */
export function nativePricing(chain: ChainName): NativePricing {
  const { wrappedNative, feeds, l1FeeOracle } = deployments[chain];
  const feed = feeds[wrappedNative];
  if (!feed) throw new TypeError(`No price feed of the native coin of ${chain} is known.`);
  return { feed, ...(l1FeeOracle && { l1FeeOracle }) };
}

/** Configures payments in native USDC on each chain that has RPC URLs. */
export function evmPayments(
  rpcUrls: Partial<Record<ChainName, readonly string[]>>,
  payTo: Address,
  settlerOf: (chain: ChainName) => Settler<Hex>,
  domain: EvmNetworkConfig['domain'] = usdcDomain,
): EvmNetworkConfig[] {
  const chains = Object.entries(rpcUrls) as [ChainName, readonly string[]][];
  return chains.map(([chain, urls]) => ({
    network: `eip155:${chainIds[chain]}`,
    chainId: chainIds[chain],
    rpcUrls: urls,
    payTo,
    asset: getAddress(deployments[chain].usdc),
    pricing: nativePricing(chain),
    domain,
    ...settlerOf(chain),
  }));
}

/** Configures payments on Solana, where only payments and no quotes are served. */
export function solanaPayments(rpcUrls: readonly string[], payTo: string, settler: Settler<string>): SvmNetworkConfig {
  return { network: solanaNetwork, rpcUrls, payTo, asset: solanaUsdc, ...settler };
}
