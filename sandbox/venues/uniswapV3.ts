import { type Address, encodeAbiParameters, encodeFunctionData, type Hex, parseAbi, parseAbiParameters } from 'viem';
import type { PoolSeed, VenuePlan } from '../chainPlan.ts';
import { positionsOf, startPrice } from '../market/concentratedMaths.ts';
import { creationCode } from '../placement/creationCode.ts';
import { published } from '../published/published.ts';

const abi = parseAbi([
  'function createPool(address, address, uint24) returns (address)',
  'function getPool(address, address, uint24) view returns (address)',
  'function enableFeeAmount(uint24, int24)',
  'function initialize(uint160)',
  'function mint(address recipient, int24 lower, int24 upper, uint128 liquidity, bytes data) returns (uint256, uint256)',
]);

export interface UniswapV3Options {
  venue: string;
  factory: Address;
  quoter: Address;
  router?: Address;
  wrappedNative: Address;
  maker: Address;
}

/** Tick spacings by fee tier; governance enabled 100/1 after the deployment. */
const spacings: Record<number, number> = { 100: 1, 500: 10, 3000: 60, 10000: 200 };

/** Uniswap v3 and Sushi v3, which have the same pool code. */
export function uniswapV3({ venue, factory, quoter, router, wrappedNative, maker }: UniswapV3Options): VenuePlan {
  return {
    venue,
    swap: { kind: 'concentrated' },
    placements: [
      { address: factory, creation: creationCode(published.uniswapV3Factory()) },
      { address: quoter, creation: creationCode(published.uniswapV3Quoter(), [factory, wrappedNative]) },
      ...(router
        ? [{ address: router, creation: creationCode(published.uniswapV3Router(), [factory, wrappedNative]) }]
        : []),
    ],
    setup: [{ to: factory, data: encodeFunctionData({ abi, functionName: 'enableFeeAmount', args: [100, 1] }) }],
    open: ({ token0, token1, tier = 3000 }) => [
      { to: factory, data: encodeFunctionData({ abi, functionName: 'createPool', args: [token0, token1, tier] }) },
    ],
    locate: ({ token0, token1, tier = 3000 }) => ({
      to: factory,
      data: encodeFunctionData({ abi, functionName: 'getPool', args: [token0, token1, tier] }),
    }),
    fill: (seed, pool) => fillConcentrated(seed, pool, spacings[seed.tier ?? 3000] ?? 60, maker),
  };
}

/** Initialises a v3-type pool at the planned price and mints its liquidity; the maker pays in the callback. */
export function fillConcentrated(seed: PoolSeed, pool: Hex, spacing: number, maker: Address) {
  const payment = encodeAbiParameters(parseAbiParameters('address, address'), [seed.token0, seed.token1]);
  return [
    { to: pool, data: encodeFunctionData({ abi, functionName: 'initialize', args: [startPrice(seed)] }) },
    ...positionsOf(seed, spacing).map(({ lower, upper, liquidity }) => ({
      to: pool,
      data: encodeFunctionData({ abi, functionName: 'mint', args: [maker, lower, upper, liquidity, payment] }),
    })),
  ];
}
