import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { type EngineOnChain, engineOn, toDecimal, tokenOf } from './market.ts';

let sandbox: Sandbox;
let chain: SandboxChain;
let engineOnBase: EngineOnChain;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  chain = sandbox.chains.base as SandboxChain;
  engineOnBase = engineOn(chain);
});
afterAll(() => sandbox?.close());

function priceOf(symbols: readonly [string, string], amountIn: bigint) {
  const [tokenIn, tokenOut] = symbols.map((symbol) => tokenOf(chain, symbol)) as [
    ReturnType<typeof tokenOf>,
    ReturnType<typeof tokenOf>,
  ];
  const size = { tokenIn: toDecimal(amountIn, tokenIn.decimals) };
  return engineOnBase.engine.quote({ chain: 'base', tokenIn: tokenIn.address, tokenOut: tokenOut.address, size });
}

/** The largest size, to a hundredth, that is quoted at 99 % of a price. Other tests compare quotes with swaps. */
async function largestAt(symbols: readonly [string, string], price: number, from: bigint): Promise<bigint> {
  let [passes, fails] = [from, from * 2n];
  while ((await priceOf(symbols, fails)).executablePrice >= price) [passes, fails] = [fails, fails * 2n];
  while (fails - passes > passes / 100n) {
    const middle = (passes + fails) / 2n;
    if ((await priceOf(symbols, middle)).executablePrice >= price) passes = middle;
    else fails = middle;
  }
  return passes;
}

// The first case once returned a fifth of the depth: the two cheapest pools for one dollar are not the deep ones.
test.each([
  [['WETH', 'USDC'], 10n ** 15n, 0.95],
  // Three of sixteen pools take less than they report; no further pool is read then, to keep the read short.
  [['WETH', 'USDC'], 10n ** 18n, 0.6],
  // Two pools with hooks take a part of the largest size, and are not part of the depth.
  [['USDC', 'WETH'], 10n ** 6n, 0.9],
  [['USDT', 'USDC'], 10n ** 6n, 0.95],
  [['AERO', 'WETH'], 10n ** 18n, 0.95],
  [['THORN', 'WETH'], 10n ** 18n, 0.95],
  // Over two legs the pools are paired by their estimated outputs, not in every combination.
  [['BIRCH', 'USDC'], 10n ** 18n, 0.8],
] as const)(
  'default: the depth of %s at %s units is at least the expected share of the largest size',
  async (symbols, amountIn, least) => {
    const { depthAtSize, executablePrice } = await priceOf(symbols, amountIn);
    const largest = await largestAt(symbols, executablePrice * 0.99, amountIn);
    const share = depthAtSize / (Number(largest) / 10 ** tokenOf(chain, symbols[0]).decimals);
    expect(share).toBeGreaterThan(least);
    expect(share).toBeLessThan(1.011);
  },
);
