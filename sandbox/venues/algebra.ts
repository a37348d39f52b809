import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbi,
  parseAbiParameters,
} from 'viem';
import type { PoolSeed, VenuePlan } from '../chainPlan.ts';
import { positionsOf, startPrice } from '../market/concentratedMaths.ts';
import { creationCode } from '../placement/creationCode.ts';
import { derivedAddress } from '../placement/derivedAddress.ts';
import { published } from '../published/published.ts';
import type { PublishedContract } from '../published/readPublished.ts';

const abi = parseAbi([
  'function createPool(address, address) returns (address)',
  'function poolByPair(address, address) view returns (address)',
  'function setFactory(address)',
  'function initialize(uint160)',
  'function mint(address sender, address recipient, int24 bottom, int24 top, uint128 liquidity, bytes data) returns (uint256, uint256, uint128)',
]);
const integralAbi = parseAbi(['function createPool(address, address, bytes) returns (address)']);

export interface AlgebraPlace {
  venue: string;
  factory: Address;
  deployer: Address;
  quoter?: Address;
  wrappedNative: Address;
  maker: Address;
}

export const integralQuoter = derivedAddress('Algebra Integral quoter');

const spacing = 60;

/**
 * Algebra v1: the ABI of QuickSwap v3, from Algebra's own release. It differs from QuickSwap's build by code hash, so
 * pools do not land on their mainnet addresses. Camelot v3 (Algebra 1.9, no package) has it as a stand-in: there even
 * `globalState` differs, only factory and swap ABI are the same.
 */
export function algebraV1({ venue, factory, deployer, quoter, wrappedNative, maker }: AlgebraPlace): VenuePlan {
  const vault = derivedAddress('Algebra vault');
  return {
    ...algebraPools(venue, factory, maker),
    placements: [
      { address: deployer, creation: creationCode(published.algebraPoolDeployer()) },
      { address: factory, creation: creationCode(withPoolHash(published.algebraFactory()), [deployer, vault]) },
      ...(quoter
        ? [
            {
              address: quoter,
              creation: creationCode(withPoolHash(published.algebraQuoter()), [factory, wrappedNative, deployer]),
            },
          ]
        : []),
    ],
    setup: [{ to: deployer, data: encodeFunctionData({ abi, functionName: 'setFactory', args: [factory] }) }],
    open: ({ token0, token1 }) => [
      { to: factory, data: encodeFunctionData({ abi, functionName: 'createPool', args: [token0, token1] }) },
    ],
  };
}

/**
 * Algebra Integral: the very pool code that QuickSwap v4 runs on Polygon. No plugin is set, so the fee stays at its
 * default. Its quoter stands at an address of our own: no record names the real one on Polygon.
 */
export function algebraIntegral({ venue, factory, deployer, wrappedNative, maker }: AlgebraPlace): VenuePlan {
  return {
    ...algebraPools(venue, factory, maker),
    placements: [
      { address: deployer, creation: creationCode(published.integralPoolDeployer(), [factory]) },
      { address: factory, creation: creationCode(published.integralFactory(), [deployer]) },
      {
        address: integralQuoter,
        creation: creationCode(published.integralQuoter(), [factory, wrappedNative, deployer]),
      },
    ],
    open: ({ token0, token1 }) => [
      {
        to: factory,
        data: encodeFunctionData({ abi: integralAbi, functionName: 'createPool', args: [token0, token1, '0x'] }),
      },
    ],
  };
}

function algebraPools(venue: string, factory: Address, maker: Address) {
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
 * The release's factory and quoter derive pool addresses from the hash of QuickSwap's build, while its deployer creates
 * the release's own pool: they get that pool's hash.
 */
function withPoolHash(contract: PublishedContract): PublishedContract {
  const quickswapHash = '6ec6c9c8091d160c0aa74b2b14ba9c1717e95093bd3ac085cee99a49aab294a4';
  const hash = keccak256(published.algebraPool().bytecode).slice(2);
  return { ...contract, bytecode: contract.bytecode.replaceAll(quickswapHash, hash) as Hex };
}
