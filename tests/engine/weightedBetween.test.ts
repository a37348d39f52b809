import { beforeAll, describe, expect, test } from 'vitest';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import type { Engine, QuoteAnswer } from '../../engine/index.ts';
import type { SandboxChain } from '../../sandbox/index.ts';
import { createWeighted } from '../../sandbox/venues/balancerV2.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { executed } from './executed.ts';
import { ledgerToken } from './ledgerToken.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { engineOver, tokenOf, withChainRestored } from './market.ts';
import { openWeighted, weightedFactories } from './weightedMarket.ts';

// Weighted pools between two routing assets: hops of routes between other tokens. The pool here pays 10 % more for WETH than
// the rest of the market.

const names = ['polygon', 'arbitrum'] as const;
/** Tokens with one pool each, of Uniswap v3. */
const tokens = ['HASWETH', 'HASDAI'].map((symbol) => ledgerToken(symbol, 2, taxedTokenArtifact, [[0, 0, 0]]));
const prices = { WETH: 3300, DAI: 1 };

const opened = { polygon: useOpenChain('polygon'), arbitrum: useOpenChain('arbitrum') };
const markets = new Map<string, { chain: SandboxChain; id: string }>();

beforeAll(async () => {
  for (const name of names) {
    const { builder } = opened[name];
    const listed = await builder.list({
      tokens,
      pools: [
        { venue: 'uniswap-v3', pair: ['HASWETH', 'WETH'], usd: 400_000, tier: 3000 },
        { venue: 'uniswap-v3', pair: ['HASDAI', 'DAI'], usd: 400_000, tier: 3000 },
      ],
    });
    const plan = { symbols: ['WETH', 'DAI'], weights: [50, 50], usd: 2_000_000, prices };
    markets.set(name, await openWeighted(builder, listed, plan));
  }
}, 120_000);

describe.each(names)('on %s', (name) => {
  const newEngine = () => {
    const { chain } = marketOf(name);
    return newEngineOn(chain);
  };

  test.each([
    ['the last hop', 'HASWETH', 'DAI'],
    ['the first hop', 'WETH', 'HASDAI'],
    ['the middle hop', 'HASWETH', 'HASDAI'],
  ])('a weighted pool of two routing assets is %s of a route that pays to the wei', async (_, sold, bought) => {
    const { chain, id } = marketOf(name);
    const engine = newEngine();
    for (const market of ['new', 'known']) {
      const answer = await quoteOf(engine, chain, sold, bought, sold === 'WETH' ? '0.1' : '150');
      expect(answer.route.pools, market).toContain(id);
      const paid = await executed(chain, answer.route.legs, answer.amountIn, opened[name].trader);
      expect(paid?.received).toBe(answer.amountOut);
    }
  });

  test('a market of two routing assets uses the pool once a search found it', async () => {
    const { chain, id } = marketOf(name);
    const engine = newEngine();
    await quoteOf(engine, chain, 'HASWETH', 'DAI', '150');
    const answer = await quoteOf(engine, chain, 'WETH', 'DAI', '0.1');
    expect(answer.route.pools).toEqual([id]);
    const paid = await executed(chain, answer.route.legs, answer.amountIn, opened[name].trader);
    expect(paid?.received).toBe(answer.amountOut);
  });

  test('twenty small pools at better prices do not displace it, and routes over them pay to the wei', async () => {
    const { chain, id } = marketOf(name);
    await withChainRestored(chain, async () => {
      let crowded = chain;
      for (let index = 0; index < 20; index++) {
        const plan = {
          symbols: ['WETH', 'DAI'],
          weights: [50, 50],
          usd: 2_000,
          prices: { WETH: 3400 + index, DAI: 1 },
        };
        ({ chain: crowded } = await openWeighted(opened[name].builder, crowded, plan));
      }
      const answer = await quoteOf(newEngine(), crowded, 'HASWETH', 'HASDAI', '150');
      expect(answer.route.pools).toContain(id);
      const paid = await executed(crowded, answer.route.legs, answer.amountIn, opened[name].trader);
      expect(paid?.received).toBe(answer.amountOut);
    });
  }, 60_000);
});

test('a hundred older pools of two other routing assets do not hide a pool', async () => {
  const { builder, trader } = opened.polygon;
  const { chain } = marketOf('polygon');
  await withChainRestored(chain, async () => {
    const tokens = [tokenOf(chain, 'WPOL').address, tokenOf(chain, 'USDC').address];
    const empty = createWeighted(weightedFactories.polygon, { tokens, weights: [50, 50], feePips: 2500 });
    for (let created = 0; created < 100; created += 5) await builder.perform(Array.from({ length: 5 }, () => empty));
    const plan = { symbols: ['WETH', 'DAI'], weights: [50, 50], usd: 2_000_000, prices: { WETH: 3600, DAI: 1 } };
    const { chain: listed, id } = await openWeighted(builder, chain, plan);
    const engine = newEngineOn(listed);
    const answer = await quoteOf(engine, listed, 'HASWETH', 'HASDAI', '150');
    expect(answer.route.pools).toContain(id);
    const paid = await executed(listed, answer.route.legs, answer.amountIn, trader);
    expect(paid?.received).toBe(answer.amountOut);
  });
}, 60_000);

test('pools at their capacity do not prevent a split', async () => {
  const { chain } = marketOf('polygon');
  const { builder, trader } = opened.polygon;
  const sizes = Array.from({ length: 10 }, (_, index) => `30.06${index}`);
  await withChainRestored(chain, async () => {
    const before = newEngineOn(chain);
    const least = [];
    for (const size of sizes) least.push((await quoteOf(before, chain, 'WETH', 'USDC', size)).amountOut);
    // The pools sell WPOL below the market, so that a split fills some of them up to 30 % of their balance.
    const cheap = { WPOL: 0.5, WBTC: 60_000, WETH: 3_000 };
    const symbols = ['WPOL', 'USDC', 'USDC.e', 'USDT', 'WETH', 'DAI', 'WBTC'];
    const pairs = symbols.flatMap((symbol, at) =>
      [1, 2].map((next) => [symbol, symbols[(at + next) % symbols.length] as string]),
    );
    let listed = chain;
    for (const pair of pairs) {
      const plan = { symbols: pair, weights: [50, 50], usd: 500_000, prices: cheap };
      ({ chain: listed } = await openWeighted(builder, listed, plan));
    }
    const engine = newEngineOn(listed);
    await quoteOf(engine, listed, 'HASWETH', 'DAI', '150');
    for (const [index, size] of sizes.entries()) {
      const answer = await quoteOf(engine, listed, 'WETH', 'USDC', size);
      expect(answer.amountOut).toBeGreaterThan(least[index] as bigint);
      const paid = await executed(listed, answer.route.legs, answer.amountIn, trader);
      expect(paid?.received).toBe(answer.amountOut);
    }
  });
}, 60_000);

const newEngineOn = (chain: SandboxChain) => engineOver(chain, loopbackEndpoint(chain.rpcUrl));

function marketOf(name: string) {
  const market = markets.get(name);
  if (!market) throw new Error(`The sandbox has no ${name}.`);
  return market;
}

const quoteOf = (
  engine: Engine,
  chain: SandboxChain,
  tokenIn: string,
  tokenOut: string,
  size: string,
): Promise<QuoteAnswer> =>
  engine.quote({
    chain: chain.name,
    tokenIn: tokenOf(chain, tokenIn).address,
    tokenOut: tokenOf(chain, tokenOut).address,
    size: { tokenIn: size },
  });
