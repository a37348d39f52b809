import { type Address, encodeFunctionData, numberToHex } from 'viem';
import { beforeAll, expect, test } from 'vitest';
import { marketMakerArtifact } from '../../contracts/artifacts/sandbox/MarketMaker.ts';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import type { QuoteAnswer } from '../../engine/index.ts';
import type { V4PoolKey } from '../../engine/venues/uniswapV4/poolKey.ts';
import { type Action, makerAddress, type SandboxChain } from '../../sandbox/index.ts';
import { startPrice } from '../../sandbox/market/concentratedMaths.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { executed } from './executed.ts';
import { ledgerToken } from './ledgerToken.ts';
import { engineOn, withChainRestored } from './market.ts';
import { keyOf, v4Abi } from './openV4Pool.ts';

// Anyone can open a pool with a fee of 60 %. Its price may be twice the market's: a seller loses more by the fee
// than the price gains, so the bid costs its owner nothing.

const manager = '0x498581fF718922c3f8e6A244956aF099B2652b2b'; // Uniswap v4's PoolManager on Base
const token = ledgerToken('HONEST', 2, taxedTokenArtifact, [[0, 0, 0]]);
const split = ledgerToken('SPLIT', 2, taxedTokenArtifact, [[0, 0, 0]]);
const tickSpacing = 100;

const opened = useOpenChain('base');
let chain: SandboxChain;
beforeAll(async () => {
  chain = await opened.builder.list({
    tokens: [token, split],
    pools: [
      { venue: 'uniswap-v2', pair: ['SPLIT', 'USDC'], usd: 200_000 },
      { venue: 'sushiswap-v2', pair: ['SPLIT', 'USDC'], usd: 150_000 },
      { venue: 'uniswap-v3', tier: 3000, pair: ['SPLIT', 'USDC'], usd: 100_000 },
      { venue: 'uniswap-v2', pair: ['HONEST', 'USDC'], usd: 200_000 },
      { venue: 'uniswap-v3', tier: 3000, pair: ['HONEST', 'WETH'], usd: 100_000 },
    ],
  });
});

/** Opens a v4 pool of HONEST and USDC with about `usd` within some percent of its price. */
function open(fee: number, usdPerToken: number, usd: number): Action[] {
  const amounts = [BigInt(Math.floor((usd / usdPerToken) * 1e6)) * 10n ** 12n, BigInt(usd * 1e6)] as const;
  return openWith(keyOf(chain, token.address, fee, tickSpacing), amounts);
}

/** @param amounts of the token at `first`, and of the other one */
function openWith(key: V4PoolKey, amounts: readonly [bigint, bigint], first = token.address): Action[] {
  const [amount0, amount1] = key.currency0 === first ? amounts : [amounts[1], amounts[0]];
  const tick = Math.floor(Math.log(Number(amount1) / Number(amount0)) / Math.log(1.0001) / tickSpacing) * tickSpacing;
  // A position of 6 % width holds about a thirtieth of the same liquidity over all prices.
  const liquidityDelta = BigInt(Math.floor(Math.sqrt(Number(amount0) * Number(amount1)))) * 30n;
  const range = { tickLower: tick - 3 * tickSpacing, tickUpper: tick + 3 * tickSpacing };
  const params = { ...range, liquidityDelta, salt: numberToHex(0, { size: 32 }) };
  const price = startPrice({ amount0, amount1 });
  const initialize = encodeFunctionData({ abi: v4Abi, functionName: 'initialize', args: [key, price] });
  const add = { abi: marketMakerArtifact.abi, functionName: 'addV4Liquidity' } as const;
  return [
    { to: manager, data: initialize },
    { to: makerAddress, data: encodeFunctionData({ ...add, args: [manager, key, params] }) },
  ];
}

async function quotesOf(size: { tokenIn: string } | { usd: string }, tokenOut: Address): Promise<QuoteAnswer> {
  const { engine } = engineOn(chain);
  const query = { chain: 'base' as const, tokenIn: token.address, tokenOut, size };
  await engine.quote(query);
  return engine.quote(query);
}

const priced = ({ amountIn, amountOut, spotPrice, confidence, priceImpactBps }: QuoteAnswer) => ({
  ...{ amountIn, amountOut, spotPrice, confidence, priceImpactBps },
});
const sizes = [{ tokenIn: '100' }, { tokenIn: '2000' }, { usd: '500' }] as const;

test.each([
  [600_000, 4],
  [990_000, 20],
  [100_000, 2.05],
])('a pool with a fee of %i pips does not change mid, size or confidence', async (fee, usdPerToken) => {
  const clean: QuoteAnswer[] = [];
  for (const size of sizes) clean.push(await quotesOf(size, chain.usdc), await quotesOf(size, chain.wrappedNative));
  await withChainRestored(chain, async () => {
    await opened.builder.perform(open(fee, usdPerToken, 20_000));
    for (const size of sizes) {
      for (const tokenOut of [chain.usdc, chain.wrappedNative]) {
        const answer = await quotesOf(size, tokenOut);
        expect(priced(answer)).toEqual(priced(clean.shift() as QuoteAnswer));
        const paid = await executed(chain, answer.route.legs, answer.amountIn, opened.trader);
        expect(paid?.received).toBe(answer.amountOut);
      }
    }
  });
});

test.each([3100, 990_000])('a pool with a few cents and a fee of %i pips does not make gas look dear', async (fee) => {
  const quote = () =>
    engineOn(chain).engine.quote({
      chain: 'base',
      tokenIn: chain.usdc,
      tokenOut: split.address,
      size: { tokenIn: '2000' },
    });
  const clean = await quote();
  expect(clean.route.legs.length).toBeGreaterThan(1);
  await withChainRestored(chain, async () => {
    // One WETH buys a billion of the token. The token has no other pool with WETH.
    const key = keyOf({ usdc: chain.wrappedNative }, split.address, fee, tickSpacing);
    await opened.builder.perform(openWith(key, [10n ** 16n, 10n ** 7n], split.address));
    const answer = await quote();
    expect(answer.route.legs.length).toBeGreaterThan(1);
    expect(Number(answer.amountOut) / Number(clean.amountOut)).toBeGreaterThan(0.9999);
  });
});
