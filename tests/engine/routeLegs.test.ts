import { expect, test } from 'vitest';
import type { QuoteAnswer } from '../../engine/index.ts';
import { executeRoute } from '../../sandbox/index.ts';
import { useBase } from '../support/useBase.ts';
import { engineOn, tokenOf, withChainRestored } from './market.ts';

const base = useBase();

function quoteOf(tokenIn: string, tokenOut: string, size: string): Promise<QuoteAnswer> {
  const { engine } = engineOn(base.chain);
  return engine.quote({
    chain: 'base',
    tokenIn: tokenOf(base.chain, tokenIn).address,
    tokenOut: tokenOf(base.chain, tokenOut).address,
    size: { tokenIn: size },
  });
}

test('default: the leg of a direct route sells amountIn and buys amountOut', async () => {
  const quote = await quoteOf('WETH', 'USDC', '0.25');
  expect(quote.route.legs).toMatchObject([{ amountIn: quote.amountIn, amountOut: quote.amountOut, shareBps: 10_000 }]);
  expect(quote.route.legs[0]).not.toHaveProperty('poolKey');
});

test.each([
  ['OAK', 'WETH', '10'],
  ['MOSS', 'WETH', '50'],
  ['LARCH', 'WETH', '3'],
  ['WETH', 'USDC', '2000'],
])('behavior: the legs of %s to %s have the amounts of the executed swaps', async (...order) => {
  const { route, amountIn, amountOut, tokenIn, tokenOut } = await quoteOf(...order);
  const { legs } = route;
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  expect(legs.length).toBeGreaterThan(1);
  for (const [index, leg] of legs.entries()) {
    const before = legs.slice(0, index + 1);
    const paid = await withChainRestored(base.chain, () =>
      executeRoute(base.chain, { legs: before, amountIn, wallet: base.trader }),
    );
    const bought = before.filter((other) => other.tokenOut === leg.tokenOut);
    expect(paid.received).toBe(sum(bought.map((other) => other.amountOut)));
  }
  for (const token of route.path.slice(0, -1)) {
    const selling = legs.filter((leg) => leg.tokenIn === token);
    const buying = legs.filter((leg) => leg.tokenOut === token);
    const held = token === tokenIn ? amountIn : sum(buying.map((leg) => leg.amountOut));
    expect(sum(selling.map((leg) => leg.amountIn))).toBe(held);
    expect(selling.reduce((total, { shareBps }) => total + shareBps, 0)).toBe(10_000);
  }
  expect(sum(legs.filter((leg) => leg.tokenOut === tokenOut).map((leg) => leg.amountOut))).toBe(amountOut);
  expect(route.path).toEqual([...new Set(legs.map((leg) => leg.tokenIn)), tokenOut]);
});

test('behavior: a v4 leg has its pool key, with currency 0x0 for the native coin', async () => {
  const { route } = await quoteOf('ASH', 'WETH', '10');
  const pool = base.chain.pools.find((each) => each.pool === route.legs[0]?.pool);
  expect(pool?.key?.currency0).toBe('0x0000000000000000000000000000000000000000');
  expect(route.legs[0]?.poolKey).toEqual(pool?.key);
});
