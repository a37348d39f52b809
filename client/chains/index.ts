import type { Address } from 'viem';
import type { Quote } from '../wire.ts';

export type ChainName = Quote['chain'];

/** Facts about a chain. Its tokens are in cli/tokens.ts, its routers in trade/routers.ts. */
export interface ChainFacts {
  chainId: number;
  /** Other names that the service accepts, as in engine/venues/deployments. */
  aliases: readonly string[];
  nativeSymbol: string;
}

/** The chains that the service quotes on; a test compares them with engine/venues/deployments. */
export const chainFacts: Record<ChainName, ChainFacts> = {
  base: { chainId: 8453, aliases: [], nativeSymbol: 'ETH' },
  polygon: { chainId: 137, aliases: ['matic'], nativeSymbol: 'POL' },
  arbitrum: { chainId: 42161, aliases: ['arbitrum-one', 'arb'], nativeSymbol: 'ETH' },
};

export const chainNames = Object.keys(chainFacts) as ChainName[];

/** The placeholder address of a chain's native coin (ERC-7528). */
export const nativeCoin: Address = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
