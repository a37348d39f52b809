import type { LowerAddress } from '../../lowerAddress.ts';
import { isSingleton, kinds } from '../../venues/kinds.ts';

/** Permit2 has the same address on every chain. */
const permit2: LowerAddress = '0x000000000022d473030f116ddee9f6b43ac78ba3'; // 0xProject/0x-settler, VeloraDEX/paraswap-dex-lib

/**
 * Router of a sale on Base, by venue. For a venue whose router no second source confirms, Uniswap's router of the same
 * family is used: the stand-in's code is the same, and only the address differs.
 */
const routers: Readonly<Record<string, LowerAddress>> = {
  'uniswap-v2': '0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24', // Uniswap/contracts, clanker-devco/contracts
  'uniswap-v3': '0x2626664c2603336e57b271c5c0b26f421741e481', // Uniswap/contracts, clanker-devco/contracts
  'uniswap-v4': '0x6ff5693b99212da76ad316178a184ab56d299b43', // Uniswap/contracts, VeloraDEX/paraswap-dex-lib
  aerodrome: '0xcf77a3ba9a5ca399b7c97c74d54e5b1beb874e43', // aerodrome-finance/contracts, DefiLlama/dimension-adapters
};

/** All these routers, and Permit2. */
export const routerAddresses: readonly LowerAddress[] = [...Object.values(routers), permit2];

/** The router of a venue. `puller`: the contract that transfers the token for it (Permit2 on singletons), if any. */
export function routerOf(venue: string, kind: number): { router: LowerAddress; puller: LowerAddress | null } {
  if (isSingleton(kind)) return { router: routers['uniswap-v4'] ?? permit2, puller: permit2 };
  const family = kind === kinds.v2 || kind === kinds.selfPricedPair ? 'uniswap-v2' : 'uniswap-v3';
  const solidly = kind === kinds.solidly || kind === kinds.solidlyPair;
  return { router: routers[venue] ?? routers[solidly ? 'aerodrome' : family] ?? permit2, puller: null };
}
