import { beforeAll, expect, test } from 'vitest';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import type { QuoteAnswer, QuoteRequest } from '../../engine/index.ts';
import type { SandboxChain } from '../../sandbox/index.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { dustPool } from './dustPools.ts';
import { ledgerToken } from './ledgerToken.ts';
import { engineOn, tokenOf, withChainRestored } from './market.ts';

/** Pools of an attacker whose price is so bad that no trade uses them, so they cost the attacker nothing. */

const direct = ledgerToken('DIRECT', 2, taxedTokenArtifact, [[0, 0, 0]]);
const parted = ledgerToken('PARTED', 2, taxedTokenArtifact, [[0, 0, 0]]);
const hopped = ledgerToken('HOPPED', 2, taxedTokenArtifact, [[0, 0, 0]]);
/** Tokens that are already deployed. */
const listed = [direct, hopped].map(({ placement: _, ...token }) => token);
const tier = { venue: 'uniswap-v3', tier: 10_000, spacing: 200 };
/** One position of one tick spacing, worth more than the honest pool holds. */
const huge = { usd: 400_000, positions: 1 };

const opened = useOpenChain('base');
let chain: SandboxChain;
beforeAll(async () => {
  chain = await opened.builder.list({
    tokens: [direct, hopped, parted],
    pools: [
      { venue: 'uniswap-v2', pair: ['DIRECT', 'USDC'], usd: 200_000 },
      { venue: 'uniswap-v2', pair: ['HOPPED', 'WETH'], usd: 200_000 },
      // Each takes less than 60,000 USD.
      ...[500, 3000].map((fee) => ({
        venue: 'uniswap-v3',
        tier: fee,
        pair: ['PARTED', 'USDC'] as const,
        usd: 1_000_000,
        range: [0.9, 1.1] as const,
      })),
    ],
  });
});

function quoteOf(tokenIn: string, tokenOut: string, size: QuoteRequest['size']): Promise<QuoteAnswer> {
  const [sold, bought] = [tokenOf(chain, tokenIn), tokenOf(chain, tokenOut)];
  const query = { chain: 'base' as const, tokenIn: sold.address, tokenOut: bought.address, size };
  return engineOn(chain).engine.quote(query);
}

/** Quotes without and with the attacker's pool. */
async function quoteWithAndWithout(pool: ReturnType<typeof dustPool>, query: Parameters<typeof quoteOf>) {
  const honest = await quoteOf(...query);
  const attacked = await withChainRestored(chain, async () => {
    await opened.builder.list({ tokens: listed, pools: [pool] });
    return quoteOf(...query);
  });
  return { honest, attacked };
}

function expectSamePrice({ honest, attacked }: Awaited<ReturnType<typeof quoteWithAndWithout>>): void {
  expect(attacked.amountIn).toBe(honest.amountIn);
  expect((attacked.spotPrice ?? 0) / (honest.spotPrice ?? 0)).toBeCloseTo(1, 6);
  // A large order may sell a part to the attacker's pool.
  expect(Number(attacked.amountOut) / Number(honest.amountOut)).toBeGreaterThanOrEqual(1);
  expect(Number(attacked.amountOut) / Number(honest.amountOut)).toBeLessThan(1.01);
  expect(Math.abs((attacked.priceImpactBps ?? 0) - (honest.priceImpactBps ?? 0))).toBeLessThan(50);
}

const lowBid = (pair: readonly [string, string]) => dustPool(tier, pair, { ...huge, skewBps: -5_000, side: 'below' });
const highAsk = (pair: readonly [string, string]) => dustPool(tier, pair, { ...huge, skewBps: 10_000, side: 'above' });

test.each(['1', '1000', '20000'])(
  'a large bid at half the price does not move the mid of a sale of %s',
  async (size) => {
    expectSamePrice(await quoteWithAndWithout(lowBid(['DIRECT', 'USDC']), ['DIRECT', 'USDC', { tokenIn: size }]));
  },
);

test.each(['10', '3000', '100000'])('a large bid at half the price does not double a sale of %s USD', async (usd) => {
  expectSamePrice(await quoteWithAndWithout(lowBid(['DIRECT', 'USDC']), ['DIRECT', 'USDC', { usd }]));
});

test('a large offer at twice the price does not move the mid of a purchase', async () => {
  for (const size of ['10', '3000']) {
    expectSamePrice(await quoteWithAndWithout(highAsk(['DIRECT', 'USDC']), ['USDC', 'DIRECT', { tokenIn: size }]));
  }
});

test('a large bid at half the price does not move the mid of a route over two hops', async () => {
  expectSamePrice(await quoteWithAndWithout(lowBid(['HOPPED', 'WETH']), ['HOPPED', 'USDC', { tokenIn: '1000' }]));
  expectSamePrice(await quoteWithAndWithout(lowBid(['HOPPED', 'WETH']), ['HOPPED', 'USDC', { usd: '3000' }]));
  expectSamePrice(await quoteWithAndWithout(highAsk(['HOPPED', 'WETH']), ['USDC', 'HOPPED', { tokenIn: '3000' }]));
});

test('an order that only a split can fill has the mid of its pair', async () => {
  const { route, spotPrice } = await quoteOf('PARTED', 'USDC', { tokenIn: '40000' });
  expect(route.legs).toHaveLength(2);
  expect(spotPrice).toBeCloseTo(2, 2);
});
