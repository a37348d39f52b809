import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem';
import type { VenuePlan } from '../chainPlan.ts';
import { creationCode } from '../placement/creationCode.ts';
import { operatorAddress } from '../placement/operator.ts';
import { published } from '../published/published.ts';
import type { PublishedContract } from '../published/readPublished.ts';
import { transferOf } from '../tokens/erc20.ts';

const abi = parseAbi([
  'function createPair(address, address) returns (address)',
  'function getPair(address, address) view returns (address)',
  'function mint(address) returns (uint256)',
]);

export interface UniswapV2Options {
  venue: string;
  factory: Address;
  router?: Address;
  routerCode?: PublishedContract;
  wrappedNative: Address;
  maker: Address;
  /** Patches the factory's code, which contains the pair's. */
  patchFactory?: (factoryCode: Hex) => Hex;
  feePips?: number;
}

/** Uniswap v2 and its forks. Sushi v2 and QuickSwap v2 have the same code at other addresses. */
export function uniswapV2(options: UniswapV2Options): VenuePlan {
  const { venue, factory, router, wrappedNative, maker, patchFactory = (code) => code, feePips = 3000 } = options;
  const { routerCode = published.uniswapV2Router() } = options;
  const code = published.uniswapV2Factory();
  const factoryCode = { ...code, bytecode: patchFactory(code.bytecode) };
  return {
    venue,
    swap: { kind: 'v2', feePips },
    placements: [
      { address: factory, creation: creationCode(factoryCode, [operatorAddress]) },
      ...(router ? [{ address: router, creation: creationCode(routerCode, [factory, wrappedNative]) }] : []),
    ],
    open: ({ token0, token1 }) => [
      { to: factory, data: encodeFunctionData({ abi, functionName: 'createPair', args: [token0, token1] }) },
    ],
    locate: ({ token0, token1 }) => ({
      to: factory,
      data: encodeFunctionData({ abi, functionName: 'getPair', args: [token0, token1] }),
    }),
    fill: ({ token0, token1, amount0, amount1 }, pool) => [
      transferOf(token0, pool, amount0),
      transferOf(token1, pool, amount1),
      { to: pool, data: encodeFunctionData({ abi, functionName: 'mint', args: [maker] }) },
    ],
  };
}
