import { type Address, encodeFunctionData, type Hex, multicall3Abi, parseAbi } from 'viem';
import { multicall3 } from '../../engine/index.ts';
import type { SandboxChain, SandboxPool } from '../../sandbox/index.ts';

const abi = parseAbi([
  'struct SingleV3 { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }',
  'function quoteExactInputSingle(SingleV3 params) returns (uint256, uint160, uint32, uint256)',
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[])',
]);
const v4Abi = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'struct SingleV4 { PoolKey poolKey; bool zeroForOne; uint128 exactAmount; bytes hookData; }',
  'function quoteExactInputSingle(SingleV4 params) returns (uint256, uint256)',
]);
const aerodromeAbi = parseAbi([
  'struct Route { address from; address to; bool stable; address factory; }',
  'function getAmountsOut(uint256 amountIn, Route[] routes) view returns (uint256[])',
]);

/** Published quoters and routers on Base. Sources: engine/venues/deployments/base.ts. */
const published = {
  quoterV2: '0x3d4e44Eb1374240CE5F1B871ab261CD16335B76a',
  sushiQuoterV2: '0xb1E835Dc2785b52265711e17fCCb0fd018226a6e',
  v4Quoter: '0x0d5e0F971ED27FBfF6c2837bf31316121532048D',
  v2Router: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
  aerodromeRouter: '0xcF77a3Ba9A5CA399B7c97c74d54e5b1Beb874E43',
} as const satisfies Record<string, Address>;

export interface EthCall {
  to: Address;
  data: Hex;
}

const v3 = (to: Address, tokenIn: Address, tokenOut: Address, amountIn: bigint, fee: number): EthCall => ({
  to,
  data: encodeFunctionData({
    abi,
    functionName: 'quoteExactInputSingle',
    args: [{ tokenIn, tokenOut, amountIn, fee, sqrtPriceLimitX96: 0n }],
  }),
});

function v4(pool: SandboxPool, tokenIn: Address, wrappedNative: Address, amountIn: bigint): EthCall | undefined {
  if (!pool.key) return undefined;
  const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
  const nativeIn = same(tokenIn, wrappedNative) && /^0x0+$/.test(pool.key.currency0);
  const zeroForOne = nativeIn || same(pool.key.currency0, tokenIn);
  return {
    to: published.v4Quoter,
    data: encodeFunctionData({
      abi: v4Abi,
      functionName: 'quoteExactInputSingle',
      args: [{ poolKey: pool.key, zeroForOne, exactAmount: amountIn, hookData: '0x' }],
    }),
  };
}

/** The baseline: one QuoterV2 call to one known pool. */
export function oneQuoterCall(chain: SandboxChain, amountIn: bigint): EthCall {
  return v3(published.quoterV2, chain.wrappedNative, chain.usdc, amountIn, 500);
}

/**
 * The calls of a quoter-based service for the same pair: one Multicall3 of every published quoter of the WETH/USDC
 * pools, and of the first hop of a route over cbBTC. Venues without a published quoter are missing, which favours this
 * method.
 */
export function multicallOfQuoters(chain: SandboxChain, amountIn: bigint): { call: EthCall; quotes: number } {
  const { wrappedNative: weth, usdc } = chain;
  const pair = [weth, usdc].map((token) => token.toLowerCase()).sort();
  const v4Pools = chain.pools.filter(
    ({ venue, token0, token1 }) =>
      venue === 'uniswap-v4' &&
      [token0, token1]
        .map((token) => (/^0x0+$/.test(token) ? weth : token).toLowerCase())
        .sort()
        .join() === pair.join(),
  );
  const fees = [100, 200, 300, 400, 500, 3000, 10_000];
  const cbBtc = chain.tokens.find(({ symbol }) => symbol === 'cbBTC')?.address;
  if (!cbBtc) throw new Error('The sandbox has no token cbBTC.');
  const calls: EthCall[] = [
    ...fees.map((fee) => v3(published.quoterV2, weth, usdc, amountIn, fee)),
    v3(published.sushiQuoterV2, weth, usdc, amountIn, 500),
    ...v4Pools.flatMap((pool) => v4(pool, weth, weth, amountIn) ?? []),
    {
      to: published.v2Router,
      data: encodeFunctionData({ abi, functionName: 'getAmountsOut', args: [amountIn, [weth, usdc]] }),
    },
    {
      to: published.aerodromeRouter,
      data: encodeFunctionData({
        abi: aerodromeAbi,
        functionName: 'getAmountsOut',
        args: [
          amountIn,
          [{ from: weth, to: usdc, stable: false, factory: '0x0000000000000000000000000000000000000000' }],
        ],
      }),
    },
    ...fees.map((fee) => v3(published.quoterV2, weth, cbBtc, amountIn, fee)),
  ];
  const data = encodeFunctionData({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    args: [calls.map(({ to, data: callData }) => ({ target: to, allowFailure: true, callData }))],
  });
  return { call: { to: multicall3, data }, quotes: calls.length };
}
