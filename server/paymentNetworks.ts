import type { Address, Hex } from 'viem';
import { type ChainName, chainIds } from '../engine/index.ts';
import { secretsOfUrl } from './createLogger.ts';
import type { EvmPaymentNetwork, PaymentNetwork, SvmPaymentNetwork } from './payment/index.ts';
import { solanaUsdc, usdcAddresses, usdcDomain } from './usdc.ts';

/** CAIP-2 of Solana's mainnet: the first half of its genesis hash. */
export const solanaNetwork = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

/** Who is paid, and the key that settles. */
export interface EvmAccounts {
  payTo: Address;
  facilitatorKey: Hex;
}

export interface SvmAccounts {
  payTo: string;
  facilitatorKey: string;
}

/** Payments on each chain that is quoted on, in its native USDC. */
export function evmPayments(
  rpcUrls: Partial<Record<ChainName, readonly string[]>>,
  accounts: EvmAccounts,
): EvmPaymentNetwork[] {
  const chains = Object.entries(rpcUrls) as [ChainName, readonly string[]][];
  return chains.map(([chain, urls]) => ({
    network: `eip155:${chainIds[chain]}`,
    chainId: chainIds[chain],
    rpcUrls: urls,
    asset: usdcAddresses[chain],
    domain: usdcDomain,
    ...accounts,
  }));
}

/** Payments on Solana, where nothing is quoted. */
export function solanaPayments(rpcUrls: readonly string[], accounts: SvmAccounts): SvmPaymentNetwork {
  return { network: solanaNetwork, rpcUrls, asset: solanaUsdc, ...accounts };
}

/** What no log line may carry. */
export function secretsOfPayments(networks: readonly PaymentNetwork[]): string[] {
  return networks.flatMap(({ rpcUrls, facilitatorKey }) => [
    ...rpcUrls.flatMap(secretsOfUrl),
    facilitatorKey,
    facilitatorKey.replace(/^0x/, ''),
  ]);
}
