import type { Address } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createOrderRunner,
  type Order,
  type OrderRunner,
  type Sandbox,
  type SandboxChain,
  type SandboxPool,
  startSandbox,
} from '../../sandbox/index.ts';
import { shareOf } from '../support/proofSize.ts';
import { engineOn, poolsOfPair, tokenOf } from './market.ts';

/** Orders that reach a limit on ticks, legs or gas. */

type ChainName = 'base' | 'polygon' | 'arbitrum';
const chainNames = ['base', 'polygon', 'arbitrum'] as const;

let sandbox: Sandbox;
const runners = new Map<ChainName, OrderRunner>();
beforeAll(async () => {
  sandbox = await startSandbox();
  const trader = sandbox.wallets.find(({ role }) => role === 'trader');
  if (!trader) throw new Error('The sandbox has no trader.');
  for (const name of chainNames)
    runners.set(name, await createOrderRunner(sandbox.chains[name] as SandboxChain, trader));
});
afterAll(() => sandbox?.close());

const chainOf = (name: ChainName) => sandbox.chains[name] as SandboxChain;
const quoteOf = (name: ChainName, tokenIn: Address, tokenOut: Address, size: string) =>
  engineOn(chainOf(name)).engine.quote({ chain: name, tokenIn, tokenOut, size: { tokenIn: size } });

/** Total output of executing these orders one after another; 0 if one of them fails. */
async function paidFor(name: ChainName, orders: Order[]): Promise<bigint> {
  const { movements } = await (runners.get(name) as OrderRunner).tryOrders(orders);
  if (movements.length < orders.length) return 0n;
  return movements.reduce((sum, { received }) => sum + received, 0n);
}

const toOrder = (pool: SandboxPool, tokenIn: Address, tokenOut: Address, amountIn: bigint): Order => ({
  legs: [{ venue: pool.venue, pool: pool.pool, tokenIn, tokenOut }],
  amountIn,
});

const larger = (a: bigint, b: bigint) => (a > b ? a : b);

test.each([
  ['arbitrum', 'DAI', '1000000'],
  ['arbitrum', 'DAI', '5000000'],
  ['arbitrum', 'DAI', '20000000'],
  ['base', 'USDT', '5000000'],
  ['base', 'USDT', '20000000'],
  ['base', 'USDT', '50000000'],
] as const)(
  'behavior: on %s quotes USDC for %s to the wei if %s crosses all ticks of a pool with close ticks',
  async (name, symbol, size) => {
    const { usdc } = chainOf(name);
    const other = tokenOf(chainOf(name), symbol).address;
    const quote = await quoteOf(name, usdc, other, size);
    let best = 0n;
    for (const pool of poolsOfPair(chainOf(name), usdc, other)) {
      best = larger(best, await paidFor(name, [toOrder(pool, usdc, other, quote.amountIn)]));
    }
    expect(quote.amountOut).toBeGreaterThanOrEqual(best);
    expect(await paidFor(name, [{ legs: quote.route.legs, amountIn: quote.amountIn }])).toBe(quote.amountOut);
    expect(best).toBeGreaterThan(0n);
  },
);

test('behavior: VENUE_UNREAD with low confidence if the ticks of a size need more gas than a read has', async () => {
  const { usdc } = chainOf('arbitrum');
  const quote = await quoteOf('arbitrum', usdc, tokenOf(chainOf('arbitrum'), 'DAI').address, '1000000000000');
  expect(quote).toMatchObject({ amountOut: 0n, confidence: 'low' });
  expect(quote.flags.find(({ code }) => code === 'VENUE_UNREAD')?.facts).toEqual({ venues: ['uniswap-v3'] });
  const read = await quoteOf('arbitrum', usdc, tokenOf(chainOf('arbitrum'), 'DAI').address, '20000000');
  expect(read.flags.map(({ code }) => code)).not.toContain('VENUE_UNREAD');
});

test('behavior: uses another first leg if the second cannot take the output of the best one', async () => {
  const { wrappedNative: weth, usdc } = chainOf('base');
  const thorn = tokenOf(chainOf('base'), 'THORN').address;
  let filled = 0;
  const sizes = shareOf(['80', '90', '100', '120', '150', '200', '300', '600', '1000'], 3);
  for (const size of sizes) {
    const quote = await quoteOf('base', weth, thorn, size);
    let best = 0n;
    for (const first of poolsOfPair(chainOf('base'), weth, usdc)) {
      for (const second of poolsOfPair(chainOf('base'), usdc, thorn)) {
        const legs = [
          { venue: first.venue, pool: first.pool, tokenIn: weth, tokenOut: usdc },
          { venue: second.venue, pool: second.pool, tokenIn: usdc, tokenOut: thorn },
        ];
        best = larger(best, await paidFor('base', [{ legs, amountIn: quote.amountIn }]));
      }
    }
    expect(quote.amountOut, `${size} WETH`).toBeGreaterThanOrEqual(best);
    const { legs } = quote.route;
    if (legs.length === 0) continue;
    expect(await paidFor('base', [{ legs, amountIn: quote.amountIn }]), `${size} WETH`).toBe(quote.amountOut);
    filled += 1;
  }
  expect(filled).toBeGreaterThan(sizes.length / 2);
});

test('behavior: a large order pays at least as much as a split in quarters over two pools', async () => {
  const { usdc } = chainOf('polygon');
  const weth = tokenOf(chainOf('polygon'), 'WETH').address;
  const quote = await quoteOf('polygon', usdc, weth, '25990873.875');
  const pools = poolsOfPair(chainOf('polygon'), usdc, weth);
  let best = 0n;
  for (const one of pools) {
    for (const other of pools) {
      if (one === other) continue;
      const orders = [
        toOrder(one, usdc, weth, (quote.amountIn * 3n) / 4n),
        toOrder(other, usdc, weth, quote.amountIn / 4n),
      ];
      best = larger(best, await paidFor('polygon', orders));
    }
  }
  expect(quote.amountOut).toBeGreaterThanOrEqual(best);
});
