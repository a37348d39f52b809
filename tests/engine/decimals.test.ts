import { parseUnits } from 'viem';
import { beforeAll, expect, test } from 'vitest';
import { honestTokenArtifact } from '../../contracts/artifacts/sandbox/HonestToken.ts';
import type { QuoteAnswer } from '../../engine/index.ts';
import { makerAddress, type PoolPlan, type SandboxChain, type TokenPlan } from '../../sandbox/index.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { placed } from './ledgerToken.ts';
import { type EngineOnChain, engineOn, tokenOf } from './market.ts';

/** Decimals of the test tokens, which are equal in everything else. */
const testedDecimals = [4, 6, 8, 18, 24];
const symbolOf = (decimals: number) => `TWIN${decimals}`;
const tokens = testedDecimals.map((decimals): TokenPlan => {
  const symbol = symbolOf(decimals);
  const args = [symbol, symbol, decimals, makerAddress, parseUnits('1000000000000', decimals)];
  const placement = placed(symbol, honestTokenArtifact, args);
  return { symbol, address: placement.address, decimals, usd: 1, about: symbol, placement };
});

/** One pool for each token and venue family. Each family has its own counter-token, so a pair selects a family. */
const families: Record<string, Omit<PoolPlan, 'pair'>> = {
  USDC: { venue: 'aerodrome', usd: 400_000, stable: true },
  WETH: { venue: 'uniswap-v3', usd: 300_000, tier: 3000 },
  cbBTC: { venue: 'aerodrome-slipstream', usd: 300_000, tier: 200 },
  USDT: { venue: 'uniswap-v2', usd: 200_000 },
  DAI: { venue: 'uniswap-v4', usd: 200_000, tier: 500 },
};

const opened = useOpenChain('base');
let chain: SandboxChain;
let engineOnBase: EngineOnChain;
beforeAll(async () => {
  chain = await opened.builder.list({
    tokens,
    pools: Object.entries(families).flatMap(([other, family]) =>
      tokens.map(({ symbol }): PoolPlan => ({ ...family, pair: [symbol, other] })),
    ),
  });
  engineOnBase = engineOn(chain);
});

const quoteOf = (tokenIn: string, tokenOut: string, size: string) =>
  engineOnBase.engine.quote({
    chain: 'base',
    tokenIn: tokenOf(chain, tokenIn).address,
    tokenOut: tokenOf(chain, tokenOut).address,
    size: { tokenIn: size },
  });

/** The fields in whole tokens or shares, which must not depend on decimals. */
const scaleFreeFieldsOf = ({
  executablePrice,
  spotPrice,
  depthAtSize,
  priceImpactBps,
  worstCaseSlippageBps,
}: QuoteAnswer) => ({
  executablePrice,
  spotPrice: spotPrice ?? Number.NaN,
  depthAtSize,
  // As fractions, so that one relative tolerance applies to all five.
  impact: 1 - (priceImpactBps ?? Number.NaN) / 10_000,
  worstCase: 1 - (worstCaseSlippageBps ?? Number.NaN) / 10_000,
});

test.each(Object.keys(families))("behavior: against %s prices do not depend on the token's decimals", async (other) => {
  const inOther = { USDC: '4000', WETH: '1.5', cbBTC: '0.05', USDT: '4000', DAI: '4000' }[other] ?? '1';
  for (const [tokenIn, tokenOut, size] of [
    ['twin', other, '5000'],
    [other, 'twin', inOther],
  ] as const) {
    const quotes = await Promise.all(
      testedDecimals.map((decimals) => {
        const named = (symbol: string) => (symbol === 'twin' ? symbolOf(decimals) : symbol);
        return quoteOf(named(tokenIn), named(tokenOut), size);
      }),
    );
    const routes = quotes.map(({ route }) => route.legs.map(({ venue }) => venue).join());
    expect(new Set(routes).size, routes.join(' | ')).toBe(1);
    const finest = scaleFreeFieldsOf(quotes.at(-1) as QuoteAnswer);
    for (const [index, quote] of quotes.entries()) {
      for (const [name, value] of Object.entries(scaleFreeFieldsOf(quote))) {
        // 4,000 tokens with 4 decimals have a relative precision of 2.5e-8, and the pool's reserves about the same.
        const expected = finest[name as keyof typeof finest];
        expect(Math.abs(value / expected - 1), `${name}, ${testedDecimals[index]} decimals, ${tokenIn}`).toBeLessThan(
          1e-6,
        );
      }
    }
  }
});
