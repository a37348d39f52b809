import type { Address } from 'viem';
import type { ChainName } from '../../engine/index.ts';

/** Native USDC (not a bridged one) by chain. Source: Circle's list of USDC contract addresses; its EIP-712 domain is the same on all. */
export const usdcAddresses: Record<ChainName, Address> = {
  base: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  polygon: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
  arbitrum: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
};

/** USDC's mint on Solana. Source: the same list. */
export const solanaUsdc = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

/** The EIP-712 domain of the sandbox's USDC; the check at start compares it with the contract. */
export const sandboxUsdcDomain = { name: 'USD Coin (truefill sandbox)', version: '2' } as const;

export const usdcDomain = { name: 'USD Coin', version: '2' } as const;
