import { type Address, getAddress, type Hex } from 'viem';
import { type ChainName, chainIds, deployments } from '../../engine/index.ts';
import type { EvmNetworkConfig, NativePricing, Settler, SvmNetworkConfig } from './paymentConfig.ts';
import { solanaUsdc, usdcDomain } from './usdc.ts';

/** CAIP-2 of Solana's mainnet: the first half of its genesis hash. */
export const solanaNetwork = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

/** @throws {TypeError} a chain without a feed of its native coin */
export function nativePricing(chain: ChainName): NativePricing {
  const { wrappedNative, feeds, l1FeeOracle } = deployments[chain];
  const feed = feeds[wrappedNative];
  if (!feed) throw new TypeError(`No price feed of the native coin of ${chain} is known.`);
  return { feed, ...(l1FeeOracle && { l1FeeOracle }) };
}

/** Payments on each chain that is quoted on, in its native USDC. */
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

/** Payments on Solana, where nothing is quoted. */
export function solanaPayments(rpcUrls: readonly string[], payTo: string, settler: Settler<string>): SvmNetworkConfig {
  return { network: solanaNetwork, rpcUrls, payTo, asset: solanaUsdc, ...settler };
}
