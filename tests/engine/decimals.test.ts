import { parseUnits } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { honestTokenArtifact } from '../../contracts/artifacts/sandbox/HonestToken.ts';
import type { QuoteAnswer } from '../../engine/index.ts';
import {
  makerAddress,
  type PoolPlan,
  reopenChain,
  type Sandbox,
  type SandboxChain,
  startSandbox,
  type TokenPlan,
} from '../../sandbox/index.ts';
import { placed } from './ledgerToken.ts';
import { type EngineOnChain, engineOn, tokenOf } from './market.ts';

/** Tokens that differ in nothing but what they count in. */
const places = [4, 6, 8, 18, 24];
const symbolOf = (decimals: number) => `TWIN${decimals}`;
const tokens = places.map((decimals): TokenPlan => {
  const symbol = symbolOf(decimals);
  const args = [symbol, symbol, decimals, makerAddress, parseUnits('1000000000000', decimals)];
  const placement = placed(symbol, honestTokenArtifact, args);
  return { symbol, address: placement.address, decimals, usd: 1, about: symbol, placement };
});

/** The same pools for each, by family; one family at a time is asked, through the token that only it trades against. */
const families: Record<string, Omit<PoolPlan, 'pair'>> = {
  USDC: { venue: 'aerodrome', usd: 400_000, stable: true },
  WETH: { venue: 'uniswap-v3', usd: 300_000, tier: 3000 },
  cbBTC: { venue: 'aerodrome-slipstream', usd: 300_000, tier: 200 },
  USDT: { venue: 'uniswap-v2', usd: 200_000 },
  DAI: { venue: 'uniswap-v4', usd: 200_000, tier: 500 },
};

let sandbox: Sandbox;
let chain: SandboxChain;
let asked: EngineOnChain;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  const builder = await reopenChain(sandbox.chains.base as SandboxChain, sandbox.wallets);
  chain = await builder.list({
    tokens,
    pools: Object.entries(families).flatMap(([other, family]) =>
      tokens.map(({ symbol }): PoolPlan => ({ ...family, pair: [symbol, other] })),
    ),
  });
  asked = engineOn(chain);
});
afterAll(() => sandbox?.close());

const quoteOf = (tokenIn: string, tokenOut: string, size: string) =>
  asked.engine.quote({
    chain: 'base',
    tokenIn: tokenOf(chain, tokenIn).address,
    tokenOut: tokenOf(chain, tokenOut).address,
    size: { tokenIn: size },
  });

/** What a trader sees in whole tokens, and nothing that counts in units. */
const facesOf = ({ executablePrice, spotPrice, depthAtSize, priceImpactBps, worstCaseSlippageBps }: QuoteAnswer) => ({
  executablePrice,
  spotPrice: spotPrice ?? Number.NaN,
  depthAtSize,
  // As shares of one, so that all five are held to one measure.
  impact: 1 - (priceImpactBps ?? Number.NaN) / 10_000,
  worstCase: 1 - (worstCaseSlippageBps ?? Number.NaN) / 10_000,
});

test.each(Object.keys(families))(
  'behavior: against %s a token has the same prices whatever its decimals',
  async (other) => {
    const inOther = { USDC: '4000', WETH: '1.5', cbBTC: '0.05', USDT: '4000', DAI: '4000' }[other] ?? '1';
    for (const [tokenIn, tokenOut, size] of [
      ['twin', other, '5000'],
      [other, 'twin', inOther],
    ] as const) {
      const quotes = await Promise.all(
        places.map((decimals) => {
          const named = (symbol: string) => (symbol === 'twin' ? symbolOf(decimals) : symbol);
          return quoteOf(named(tokenIn), named(tokenOut), size);
        }),
      );
      const routes = quotes.map(({ route }) => route.legs.map(({ venue }) => venue).join());
      expect(new Set(routes).size, routes.join(' | ')).toBe(1);
      const finest = facesOf(quotes.at(-1) as QuoteAnswer);
      for (const [index, quote] of quotes.entries()) {
        for (const [name, value] of Object.entries(facesOf(quote))) {
          // The coarsest counts in 1/10,000: 4,000 of them are known to 2.5e-8, and the pool's own reserves no better.
          const expected = finest[name as keyof typeof finest];
          expect(Math.abs(value / expected - 1), `${name}, ${places[index]} decimals, ${tokenIn}`).toBeLessThan(1e-6);
        }
      }
    }
  },
);
