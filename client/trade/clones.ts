import {
  type Address,
  encodeAbiParameters,
  encodePacked,
  getContractAddress,
  type Hex,
  keccak256,
  parseAbiParameters,
} from 'viem';
import { isSameAddress } from './plan.ts';
import { type SlipstreamGeneration, slipstreamSpacings, type VenueRouter } from './routers.ts';

/** Whether a pool of Aerodrome's basic factory is stable; undefined if it is neither the stable nor the volatile pool. */
export function findStable(
  { factory, implementation }: VenueRouter & { kind: 'aerodrome' },
  pool: string,
  tokens: readonly [Address, Address],
): boolean | undefined {
  const [token0, token1] = sort(tokens);
  return [false, true].find((stable) => {
    const salt = keccak256(encodePacked(['address', 'address', 'bool'], [token0, token1, stable]));
    return isSameAddress(cloneAddress(factory, implementation, salt), pool);
  });
}

/** The Slipstream router and tick spacing of a pool; undefined if no known factory created it. */
export function findSlipstream(
  generations: readonly SlipstreamGeneration[],
  pool: string,
  tokens: readonly [Address, Address],
): { router: Address; tickSpacing: number } | undefined {
  const [token0, token1] = sort(tokens);
  for (const { router, factory, implementation } of generations) {
    const tickSpacing = slipstreamSpacings.find((spacing) => {
      const words = encodeAbiParameters(parseAbiParameters('address, address, int24'), [token0, token1, spacing]);
      return isSameAddress(cloneAddress(factory, implementation, keccak256(words)), pool);
    });
    if (tickSpacing !== undefined) return { router, tickSpacing };
  }
  return undefined;
}

/** The CREATE2 address of an ERC-1167 minimal proxy. */
function cloneAddress(from: Address, implementation: Address, salt: Hex): Address {
  const bytecode: Hex = `0x3d602d80600a3d3981f3363d3d373d3d3d363d73${implementation.slice(2).toLowerCase()}5af43d82803e903d91602b57fd5bf3`;
  return getContractAddress({ opcode: 'CREATE2', from, salt, bytecode });
}

const sort = ([a, b]: readonly [Address, Address]): [Address, Address] =>
  a.toLowerCase() < b.toLowerCase() ? [a, b] : [b, a];
