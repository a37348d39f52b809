import type { Address } from 'viem';
import { kinds } from '../../venues/kinds.ts';

/** Canonical on every chain. */
const permit2: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3'; // 0xProject/0x-settler, VeloraDEX/paraswap-dex-lib

/**
 * Whose address a sale on Base goes through, by venue. Where the venue's own router has no second origin, Uniswap's of
 * the same family stands for it: the stand-in's code is the same, only the address that the token sees differs.
 */
const routers: Readonly<Record<string, Address>> = {
  'uniswap-v2': '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24', // Uniswap/contracts, clanker-devco/contracts
  'uniswap-v3': '0x2626664c2603336E57B271c5C0b26F421741e481', // Uniswap/contracts, clanker-devco/contracts
  'uniswap-v4': '0x6fF5693b99212Da76ad316178A184AB56D299b43', // Uniswap/contracts, VeloraDEX/paraswap-dex-lib
  aerodrome: '0xcF77a3Ba9A5CA399B7c97c74d54e5b1Beb874E43', // aerodrome-finance/contracts, DefiLlama/dimension-adapters
};

/** All of them, and Permit2. */
export const routerAddresses: readonly Address[] = [...Object.values(routers), permit2];

/** The router of a venue, and who pulls the token for it (Permit2 on singletons). */
export function routerOf(venue: string, kind: number): { router: Address; puller: Address | null } {
  if (kind >= kinds.v4) return { router: routers['uniswap-v4'] ?? permit2, puller: permit2 };
  const family = kind === kinds.v2 || kind === kinds.selfPricedPair ? 'uniswap-v2' : 'uniswap-v3';
  const solidly = kind === kinds.solidly || kind === kinds.solidlyPair;
  return { router: routers[venue] ?? routers[solidly ? 'aerodrome' : family] ?? permit2, puller: null };
}
