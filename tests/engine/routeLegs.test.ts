import { afterAll, beforeAll, expect, test } from 'vitest';
import type { QuoteAnswer } from '../../engine/index.ts';
import {
  executeRoute,
  type Sandbox,
  type SandboxChain,
  type SandboxWallet,
  startSandbox,
} from '../../sandbox/index.ts';
import { andPutBack, engineOn, tokenOf } from './market.ts';

let sandbox: Sandbox;
let chain: SandboxChain;
let trader: SandboxWallet;

beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  chain = sandbox.chains.base as SandboxChain;
  trader = sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet;
});
afterAll(() => sandbox?.close());

function quoteOf(tokenIn: string, tokenOut: string, size: string): Promise<QuoteAnswer> {
  const { engine } = engineOn(chain);
  return engine.quote({
    chain: 'base',
    tokenIn: tokenOf(chain, tokenIn).address,
    tokenOut: tokenOf(chain, tokenOut).address,
    size: { tokenIn: size },
  });
}

test('default: the leg of a direct route sells amountIn and buys amountOut', async () => {
  const quote = await quoteOf('WETH', 'USDC', '2.5');
  expect(quote.route.legs).toMatchObject([{ amountIn: quote.amountIn, amountOut: quote.amountOut, shareBps: 10_000 }]);
  expect(quote.route.legs[0]).not.toHaveProperty('poolKey');
});

test.each([
  ['OAK', 'WETH', '10'],
  ['MOSS', 'WETH', '50'],
  ['LARCH', 'WETH', '3'],
])('behavior: the amount between the legs of %s to %s is what the first swap pays', async (tokenIn, tokenOut, size) => {
  const { route, amountIn, amountOut } = await quoteOf(tokenIn, tokenOut, size);
  const [first, second] = route.legs;
  if (!first || !second) throw new TypeError(`${tokenIn} to ${tokenOut} has no route of two legs.`);
  const alone = await andPutBack(chain, () => executeRoute(chain, { legs: [first], amountIn, wallet: trader }));
  expect(first).toMatchObject({ amountIn, amountOut: alone.received, shareBps: 10_000 });
  expect(second).toMatchObject({ amountIn: alone.received, amountOut, shareBps: 10_000 });
  expect(route.path).toEqual([first.tokenIn, second.tokenIn, second.tokenOut]);
});

test('behavior: a v4 leg carries the pool key, with currency 0x0 for the native coin', async () => {
  const { route } = await quoteOf('ASH', 'WETH', '10');
  const pool = chain.pools.find((each) => each.pool === route.legs[0]?.pool);
  expect(pool?.key?.currency0).toBe('0x0000000000000000000000000000000000000000');
  expect(route.legs[0]?.poolKey).toEqual(pool?.key);
});
