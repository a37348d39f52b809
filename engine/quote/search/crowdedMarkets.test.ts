import { expect, test } from 'vitest';
import { randomMarket, seededRandom, type TestToken, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { findOptimum } from '../../../tests/support/engine/testOptimum.ts';
import { maxPlanGas } from './fillPlan.ts';
import { type SearchQuery, searchPlan } from './searchPlan.ts';

const { LT, USDC, WETH, AERO, DAI } = testTokens;
const routingTokens = [WETH, USDC, AERO, DAI].map(({ address }) => address);
const pairs: readonly (readonly [TestToken, TestToken])[] = [
  [LT, USDC],
  [USDC, LT],
  [LT, DAI],
  [DAI, LT],
  [AERO, DAI],
  [DAI, AERO],
];

/** Three times the pools of a generated market, so that more legs are profitable than a plan may have. */
function generate(): (SearchQuery & { gasPrice: number; gwei: number })[] {
  return Array.from({ length: 60 }, (_, seed) => {
    const random = seededRandom(seed);
    const pools = [...randomMarket(random), ...randomMarket(random), ...randomMarket(random)];
    return [0.02, 5].flatMap((gwei) =>
      [5_000, 50_000, 500_000].map((usd) => {
        const [from, to] = pairs[Math.floor(random() * pairs.length)] as readonly [TestToken, TestToken];
        const amountIn = BigInt(Math.round((usd / from.usd) * 1e6)) * 10n ** BigInt(from.decimals - 6);
        const gasPrice = ((gwei * 1e-9 * WETH.usd) / to.usd) * 10 ** to.decimals;
        return { pools, tokenIn: from.address, tokenOut: to.address, amountIn, routingTokens, gasPrice, gwei };
      }),
    );
  }).flat();
}

const queries = generate();

test('a plan sells every token that it buys, and needs at most the gas of a transaction', () => {
  let split = 0;
  for (const query of queries) {
    const { best } = searchPlan(query);
    if (!best) continue;
    const sold = new Set(best.legs.map(({ tokenIn }) => tokenIn));
    const bought = best.legs.map(({ tokenOut }) => tokenOut).filter((token) => token !== query.tokenOut);
    expect(bought.filter((token) => !sold.has(token))).toEqual([]);
    expect(best.gas).toBeLessThanOrEqual(BigInt(maxPlanGas));
    if (best.legs.length > 16) split += 1;
  }
  expect(split).toBeGreaterThan(30);
});

test('nine of ten orders are within 5 bps of the bound if gas is cheap', () => {
  const below = queries
    .filter(({ gwei }, index) => gwei < 1 && index % 3 !== 0)
    .flatMap((query) => {
      const { best } = searchPlan(query);
      const optimum = findOptimum(query).bound - 85_000 * query.gasPrice;
      const net = best && Number(best.amountOut) - Number(best.gas) * query.gasPrice;
      return net === undefined || !Number.isFinite(optimum) ? [] : [(1 - net / optimum) * 10_000];
    })
    .sort((a, b) => a - b);
  expect(below.length).toBeGreaterThan(80);
  expect(below[Math.floor(below.length * 0.9)]).toBeLessThanOrEqual(5);
});
