import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbi,
  parseAbiParameters,
} from 'viem';
import type { PoolSeed } from '../chainPlan.ts';
import { positionsOf, startPrice } from '../market/concentratedMaths.ts';
import type { PublishedContract } from '../published/readPublished.ts';

const abi = parseAbi([
  'function poolByPair(address, address) view returns (address)',
  'function initialize(uint160)',
  'function mint(address sender, address recipient, int24 bottom, int24 top, uint128 liquidity, bytes data) returns (uint256, uint256, uint128)',
]);

/** Parameters of every Algebra release. */
export interface AlgebraOptions {
  venue: string;
  factory: Address;
  deployer: Address;
  quoter?: Address;
  router?: Address;
  wrappedNative: Address;
  maker: Address;
}

const spacing = 60;

/** Pool addresses and funding calls, which are the same in every release. */
export function algebraPools(venue: string, factory: Address, maker: Address) {
  return {
    venue,
    swap: { kind: 'concentrated' },
    locate: ({ token0, token1 }: PoolSeed) => ({
      to: factory,
      data: encodeFunctionData({ abi, functionName: 'poolByPair', args: [token0, token1] }),
    }),
    fill: (seed: PoolSeed, pool: Hex) => fillAlgebra(seed, pool, maker),
  } as const;
}

function fillAlgebra(seed: PoolSeed, pool: Hex, maker: Address) {
  const payment = encodeAbiParameters(parseAbiParameters('address, address'), [seed.token0, seed.token1]);
  return [
    { to: pool, data: encodeFunctionData({ abi, functionName: 'initialize', args: [startPrice(seed)] }) },
    ...positionsOf(seed, spacing).map(({ lower, upper, liquidity }) => ({
      to: pool,
      data: encodeFunctionData({ abi, functionName: 'mint', args: [maker, maker, lower, upper, liquidity, payment] }),
    })),
  ];
}

/**
 * Replaces the pool code hash in a contract's code. Factories and quoters derive pool addresses from this hash.
 */
export function withPoolHash(contract: PublishedContract, written: Hex, pool: PublishedContract): PublishedContract {
  const bytecode = contract.bytecode.replaceAll(written.slice(2), keccak256(pool.bytecode).slice(2)) as Hex;
  return { ...contract, bytecode };
}
