import { type Address, encodeFunctionData, parseAbi } from 'viem';
import { aerodromeRegistryArtifact } from '../../contracts/artifacts/sandbox/AerodromeRegistry.ts';
import type { Placement, VenuePlan } from '../chainPlan.ts';
import { creationCode } from '../placement/creationCode.ts';
import { compileAerodrome } from '../published/aerodrome.ts';
import type { CompiledGroup } from '../published/compileGroup.ts';
import type { PublishedContract } from '../published/readPublished.ts';
import { transferOf } from '../tokens/erc20.ts';

const abi = parseAbi([
  'function createPool(address, address, bool) returns (address)',
  'function getPool(address, address, bool) view returns (address)',
  'function mint(address) returns (uint256)',
]);

const factory = '0x420DD381b31aEf6683db6B902084cB0FFECe40Da';
const router = '0xcF77a3Ba9A5CA399B7c97c74d54e5b1Beb874E43';
const implementation = '0xA4e46b4f701c62e14DF11B48dCe76A7d793CD6d7';
const registry = '0x5C3F18F06CC09CA1910767A34a20F771039E37C0';

/** Address of Aerodrome's Voter, which the factories call. The sandbox has no gauges. */
export const aerodromeVoter: Address = '0x16613524e02ad97eDfeF371bC883F2F5d6C480A5';

/** Contracts that Aerodrome's factories require. */
export function placeAerodromeRegistry(): Placement[] {
  return ([registry, aerodromeVoter] as const).map((address) => ({
    address,
    creation: creationCode(aerodromeRegistryArtifact),
  }));
}

/** Aerodrome's basic pools, volatile and stable, at their mainnet addresses: clones of the implementation. */
export async function aerodrome(wrappedNative: Address, maker: Address): Promise<VenuePlan> {
  const compiled = await compileAerodrome();
  return {
    venue: 'aerodrome',
    swap: { kind: 'solidly' },
    placements: [
      { address: implementation, creation: creationCode(contractOf(compiled, 'Pool')) },
      { address: factory, creation: creationCode(contractOf(compiled, 'PoolFactory'), [implementation]) },
      {
        address: router,
        creation: creationCode(contractOf(compiled, 'Router'), [
          registry,
          registry,
          factory,
          aerodromeVoter,
          wrappedNative,
        ]),
      },
    ],
    open: ({ token0, token1, stable = false }) => [
      { to: factory, data: encodeFunctionData({ abi, functionName: 'createPool', args: [token0, token1, stable] }) },
    ],
    locate: ({ token0, token1, stable = false }) => ({
      to: factory,
      data: encodeFunctionData({ abi, functionName: 'getPool', args: [token0, token1, stable] }),
    }),
    fill: ({ token0, token1, amount0, amount1 }, pool) => [
      transferOf(token0, pool, amount0),
      transferOf(token1, pool, amount1),
      { to: pool, data: encodeFunctionData({ abi, functionName: 'mint', args: [maker] }) },
    ],
  };
}

/** @throws {TypeError} the group has no such contract */
export function contractOf(group: CompiledGroup, name: string): PublishedContract {
  const contract = group[name];
  if (!contract) throw new TypeError(`${name} was not compiled.`);
  return contract;
}
