import type { Address } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ExecutableLeg, executeRoute, type Sandbox, type SandboxChain, startSandbox } from '../index.ts';

let sandbox: Sandbox;
let base: SandboxChain;

beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'], testTokens: true });
  if (!sandbox.chains.base) throw new TypeError('Base did not start.');
  base = sandbox.chains.base;
});
afterAll(() => sandbox.close());

const addressOf = (symbol: string): Address => {
  const token = base.tokens.find((candidate) => candidate.symbol === symbol);
  if (!token) throw new TypeError(`${symbol} is not on Base.`);
  return token.address;
};

function leg(venue: string, from: string, to: string): ExecutableLeg {
  const [tokenIn, tokenOut] = [addressOf(from), addressOf(to)];
  const found = base.pools.find(
    (pool) => pool.venue === venue && [tokenIn, tokenOut].every((token) => [pool.token0, pool.token1].includes(token)),
  );
  if (!found) throw new TypeError(`${venue} has no pool of ${from} and ${to}.`);
  return { venue, pool: found.pool, tokenIn, tokenOut };
}

test('lists every test token among the chain’s tokens, with its description', () => {
  const shown = new Map(base.tokens.map(({ symbol, about }) => [symbol, about]));
  for (const { symbol, about } of sandbox.testTokens?.tokens ?? [])
    expect([symbol, shown.get(symbol)]).toEqual([symbol, about]);
  expect(sandbox.testTokens?.tokens.length).toBeGreaterThanOrEqual(40);
  expect(new Set(base.tokens.map(({ symbol }) => symbol)).size).toBe(base.tokens.length);
});

test.each([
  ['TWOHOP', 'AERO', 'aerodrome'],
  ['FARHOP', 'PLAIN', 'uniswap-v2'],
])('behavior: %s can be bought and sold for ether through %s', async (symbol, through, venue) => {
  const wallet = sandbox.wallets.find(({ role }) => role === 'trader');
  if (!wallet) throw new TypeError('The sandbox has no trader wallet.');
  const amountIn = 10n ** 17n;
  const buyLegs = [leg(venue, 'WETH', through), leg('uniswap-v2', through, symbol)];
  const bought = await executeRoute(base, { legs: buyLegs, amountIn, wallet });
  const sellLegs = [leg('uniswap-v2', symbol, through), leg(venue, through, 'WETH')];
  const sold = await executeRoute(base, { legs: sellLegs, amountIn: bought.received, wallet });
  // Four swaps with a fee of at most 0.3 % each.
  expect(sold.received).toBeGreaterThan((amountIn * 97n) / 100n);
});
