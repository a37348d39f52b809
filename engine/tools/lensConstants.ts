import type { LowerAddress } from '../lowerAddress.ts';
import { maxEntries, noPair } from '../pools/decodeEntries.ts';
import { kinds } from '../venues/kinds.ts';
import { poolStatuses, stateForms } from '../venues/poolEntry.ts';
import { maxSqrtPrice, minSqrtPrice } from '../venues/uniswapV3/tickMaths.ts';
import { swapPermissions } from '../venues/uniswapV4/poolKey.ts';
import { balancerVault } from '../venues/venueTypes.ts';

/** Constants that the lenses share with the engine, by their names in Solidity. */
export const lensConstants: Readonly<Record<string, number | bigint | LowerAddress>> = {
  ...prefixed('KIND_', Object.entries(kinds)),
  ...prefixed(
    'FORM_',
    stateForms.map((form, index) => [form, index]),
  ),
  ...prefixed(
    '',
    poolStatuses.map((status, index) => [status, index]),
  ),
  NO_PAIR: noPair,
  MAX_ENTRIES: maxEntries,
  SWAP_HOOKS: swapPermissions,
  MIN_SQRT: minSqrtPrice,
  MAX_SQRT: maxSqrtPrice,
  BALANCER_VAULT: balancerVault,
};

function prefixed(prefix: string, numbers: readonly (readonly [string, number])[]): Record<string, number> {
  return Object.fromEntries(numbers.map(([name, number]) => [`${prefix}${toConstantName(name)}`, number]));
}

/** `v4Native` and `no-pool` as Solidity writes them. */
function toConstantName(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace('-', '_');
  return words.toUpperCase();
}
