import type { LowerAddress } from '../../lowerAddress.ts';
import { isSingleton, kinds } from '../../venues/kinds.ts';

/** Permit2 has the same address on every chain. */
const permit2: LowerAddress = '0x000000000022d473030f116ddee9f6b43ac78ba3'; // 0xProject/0x-settler, VeloraDEX/paraswap-dex-lib

/** Router of a sale on Base, by venue. Each address is confirmed by the two named sources. */
const routers = {
  'uniswap-v2': '0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24', // Uniswap/contracts, clanker-devco/contracts
  'uniswap-v3': '0x2626664c2603336e57b271c5c0b26f421741e481', // Uniswap/contracts, clanker-devco/contracts
  'uniswap-v4': '0x6ff5693b99212da76ad316178a184ab56d299b43', // Uniswap/contracts, VeloraDEX/paraswap-dex-lib
  aerodrome: '0xcf77a3ba9a5ca399b7c97c74d54e5b1beb874e43', // aerodrome-finance/contracts, DefiLlama/dimension-adapters
} as const satisfies Record<string, LowerAddress>;
const routerByVenue: Readonly<Record<string, LowerAddress>> = routers;

/** All routers of sales, and Permit2. */
export const routerAddresses: readonly LowerAddress[] = [...Object.values(routers), permit2];

/**
 * The router of a venue. A venue without one uses the router of Uniswap or Aerodrome for the same kind of pool: the
 * stand-in has the same code at either address.
 *
 * `puller`: the contract that transfers the token for the router (Permit2 on singletons), if any.
 */
export function routerOf(venue: string, kind: number): { router: LowerAddress; puller: LowerAddress | null } {
  if (isSingleton(kind)) return { router: routers['uniswap-v4'], puller: permit2 };
  const family = kind === kinds.v2 || kind === kinds.selfPricedPair ? 'uniswap-v2' : 'uniswap-v3';
  const solidly = kind === kinds.solidly || kind === kinds.solidlyPair;
  return { router: routerByVenue[venue] ?? routers[solidly ? 'aerodrome' : family], puller: null };
}
