import { type Address, encodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters } from 'viem';
import type { Action, PoolSeed, VenuePlan } from '../chainPlan.ts';
import { positionsOf, startPrice } from '../market/concentratedMaths.ts';
import { creationCode } from '../placement/creationCode.ts';
import { compileSlipstream } from '../published/aerodrome.ts';
import { aerodromeVoter, contractOf } from './aerodrome.ts';

const abi = parseAbi([
  'function createPool(address, address, int24, uint160) returns (address)',
  'function getPool(address, address, int24) view returns (address)',
  'function enableTickSpacing(int24, uint24)',
  'function setOwner(address)',
  'function mint(address recipient, int24 lower, int24 upper, uint128 liquidity, bytes data) returns (uint256, uint256)',
]);

interface Generation {
  factory: Address;
  implementation: Address;
  quoter: Address;
  router: Address;
  /** Tick spacings beyond the constructor's five, with their fee in pips. */
  spacings: readonly (readonly [number, number])[];
}

/** The three factories on Base, each with its own implementation and quoter. */
const generations: Record<NonNullable<PoolSeed['generation']>, Generation> = {
  1: {
    factory: '0x5e7BB104d84c7CB9B682AaC2F3d509f5F406809A',
    implementation: '0xeC8E5342B19977B4eF8892e02D8DAEcfa1315831',
    quoter: '0x254cF9E1E6e233aa1AC962CB9B05b2cfeAaE15b0',
    router: '0xBE6D8f0d05cC4be24d5167a3eF062215bE6D18a5',
    spacings: [],
  },
  2: {
    factory: '0xaDe65c38CD4849aDBA595a4323a8C7DdfE89716a',
    implementation: '0x942e97a4c6FdC38B4CD1c0298D37d81fDD8E5A16',
    quoter: '0x3d4C22254F86f64B7eC90ab8F7aeC1FBFD271c6C',
    router: '0xcbBb8035cAc7D4B3Ca7aBb74cF7BdF900215Ce0D',
    spacings: [
      [10, 500],
      [500, 10_000],
    ],
  },
  3: {
    factory: '0xf8f2eB4940CFE7d13603DDDD87f123820Fc061Ef',
    implementation: '0xc770898522D2A9c8Da7A10D63989b6b58305B665',
    quoter: '0x514c8B5f54112481E28028F1166Bd78501089259',
    router: '0x698Cb2b6dd822994581fEa6eA4Fc755d1363A92F',
    spacings: [
      [10, 500],
      [500, 20_000],
    ],
  },
};

/**
 * Aerodrome's concentrated pools of all three factories, at their mainnet addresses, compiled from one source. Without a
 * dynamic fee module, the fee depends only on the tick spacing.
 */
export async function slipstream(wrappedNative: Address, maker: Address): Promise<VenuePlan> {
  const compiled = await compileSlipstream();
  const placeGeneration = ({ factory, implementation, quoter, router }: Generation, legacy: Address) => [
    { address: implementation, creation: creationCode(contractOf(compiled, 'CLPool')) },
    {
      address: factory,
      creation: creationCode(contractOf(compiled, 'CLFactory'), [aerodromeVoter, legacy, implementation]),
    },
    { address: quoter, creation: creationCode(contractOf(compiled, 'QuoterV2'), [factory, wrappedNative]) },
    { address: router, creation: creationCode(contractOf(compiled, 'SwapRouter'), [factory, wrappedNative]) },
  ];
  return {
    venue: 'aerodrome-slipstream',
    swap: { kind: 'concentrated' },
    placements: [
      ...placeGeneration(generations[1], aerodromeVoter),
      ...placeGeneration(generations[2], generations[1].factory),
      ...placeGeneration(generations[3], generations[2].factory),
    ],
    setup: Object.values(generations).flatMap((generation) => openFactory(generation, maker)),
    open: (seed) => [
      {
        to: generations[seed.generation ?? 1].factory,
        data: encodeFunctionData({
          abi,
          functionName: 'createPool',
          args: [seed.token0, seed.token1, seed.tier ?? 100, startPrice(seed)],
        }),
      },
    ],
    locate: ({ token0, token1, tier = 100, generation = 1 }) => ({
      to: generations[generation].factory,
      data: encodeFunctionData({ abi, functionName: 'getPool', args: [token0, token1, tier] }),
    }),
    fill: (seed, pool) => {
      const payment = encodeAbiParameters(parseAbiParameters('address, address'), [seed.token0, seed.token1]);
      return positionsOf(seed, seed.tier ?? 100).map(({ lower, upper, liquidity }) => ({
        to: pool,
        data: encodeFunctionData({ abi, functionName: 'mint', args: [maker, lower, upper, liquidity, payment] }),
      }));
    },
  };
}

/** In newer factories, only the owner can create a pool that an older factory has. So the maker becomes the owner. */
function openFactory({ factory, spacings }: Generation, maker: Address): Action[] {
  return [
    ...spacings.map(([spacing, fee]) => ({
      to: factory,
      data: encodeFunctionData({ abi, functionName: 'enableTickSpacing', args: [spacing, fee] }),
    })),
    { to: factory, data: encodeFunctionData({ abi, functionName: 'setOwner', args: [maker] }) },
  ];
}
