import type { Address } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toTransaction } from '../../client/index.ts';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import {
  createOrderRunner,
  fund,
  type OrderRunner,
  type Sandbox,
  type SandboxChain,
  startSandbox,
} from '../../sandbox/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { useSteadyClock } from '../../sandbox/testTokens/measurement/traders.ts';
import { poolOf, quoteOf } from '../client/handmadeQuote.ts';
import { ledgerToken } from '../engine/ledgerToken.ts';
import { engineOn, hookedShapes, tokenOf } from '../engine/market.ts';
import { listTaxedTokens } from '../engine/taxedMarket.ts';
import { findWallet } from '../support/findWallet.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { asClientQuote, executorAddress, heldByExecutor, senderOn } from './openMarket.ts';

// Payments, moved markets and the families that the seeded market does not have.

let sandbox: Sandbox;
let chain: SandboxChain;
let trader: Address;
let rival: Address;
let sender: Awaited<ReturnType<typeof senderOn>>;
let byRival: Awaited<ReturnType<typeof senderOn>>;
let runner: OrderRunner;
const polygon = useOpenChain('polygon');

beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  chain = await listTaxedTokens(sandbox.chains.base as SandboxChain, sandbox.wallets);
  const wallet = findWallet(sandbox.wallets, 'trader');
  [trader, rival] = [wallet.address, findWallet(sandbox.wallets, 'stranger').address];
  await useSteadyClock(createNodeClient(chain.rpcUrl));
  runner = await createOrderRunner(chain, wallet);
  sender = await senderOn(chain, trader);
  byRival = await senderOn(chain, rival);
  for (const { address } of [tokenOf(chain, 'WETH'), tokenOf(chain, 'USDC')]) {
    await fund(chain, address, rival, address === chain.usdc ? 10n ** 12n : 10n ** 21n);
  }
}, 300_000);
afterAll(() => sandbox?.close());

const quoteFor = async (tokenIn: string, tokenOut: string, size: string) => {
  const [from, to] = [tokenOf(chain, tokenIn).address, tokenOf(chain, tokenOut).address];
  const { engine } = engineOn(chain, hookedShapes(chain));
  const query = { chain: chain.name, tokenIn: from, tokenOut: to, size: { tokenIn: size } };
  return asClientQuote(await engine.quote(query));
};

test.each(['BUYTAX', 'SELLTAX', 'BOTHTAX', 'WALLETTAX'])(
  'pays exactly amountOut for purchases and sales of %s',
  async (symbol) => {
    for (const [tokenIn, tokenOut] of [
      [symbol, 'USDC'],
      ['USDC', symbol],
    ] as const) {
      const quote = await quoteFor(tokenIn, tokenOut, '10');
      expect(BigInt(quote.amountOut)).toBeGreaterThan(0n);
      const transaction = toTransaction(quote, { taker: trader, slippageBps: 0, via: 'executor' });
      const { ok, received, spent } = await sender.restored(() => sender.execute(quote, transaction));
      expect({ ok, received, spent }).toEqual({ ok, received: BigInt(quote.amountOut), spent: BigInt(quote.amountIn) });
    }
  },
);

test('pays exactly amountOut by Permit2, from the native coin and in the native coin', async () => {
  const sale = await quoteFor('WETH', 'USDC', '40');
  const options = { taker: trader, slippageBps: 0, via: 'executor' } as const;
  const byPermit2 = await sender.restored(() =>
    sender.execute(sale, toTransaction(sale, { ...options, payment: 'permit2' })),
  );
  expect(byPermit2.received).toBe(BigInt(sale.amountOut));
  const paid = toTransaction(sale, { ...options, payment: 'native' });
  expect(paid).toMatchObject({ value: BigInt(sale.amountIn), approvals: [] });
  const byNative = await sender.restored(() => sender.execute(sale, paid));
  expect(byNative).toMatchObject({ ok: true, spent: 0n, received: BigInt(sale.amountOut) });

  const purchase = await quoteFor('USDC', 'WETH', '5000');
  const transaction = toTransaction(purchase, { ...options, nativeOut: true });
  await sender.restored(async () => {
    for (const approval of transaction.approvals) await sender.send(approval);
    const balance = async () => BigInt(await sender.node.call<string>('eth_getBalance', [trader, 'latest']));
    const before = await balance();
    const price = BigInt(await sender.node.call<string>('eth_gasPrice', []));
    const { ok, gas } = await sender.send({ ...transaction, value: 0n });
    expect(ok).toBe(true);
    const gained = (await balance()) - before;
    // The gas costs at most twice the suggested price.
    expect(gained).toBeLessThanOrEqual(BigInt(purchase.amountOut));
    expect(gained).toBeGreaterThan(BigInt(purchase.amountOut) - gas * price * 2n);
    expect(await heldByExecutor(chain)).toEqual([]);
  });
});

const movedMarkets = Number(process.env.MOVED_MARKETS ?? 16);

test('after a foreign trade the receiver gets at least minAmountOut, or the whole reverts, and nothing stays', async () => {
  const seen = { filled: 0, reverted: 0 };
  const [sale, purchase] = [['WETH', 'USDC'] as const, ['USDC', 'WETH'] as const];
  // Foreign trades of 1 to 60 WETH, in both directions.
  const sizes = Array.from(
    { length: movedMarkets / 4 },
    (_, index) => 60 ** (index / Math.max(1, movedMarkets / 4 - 1)),
  );
  for (const [tokenIn, tokenOut] of [sale, purchase]) {
    const quote = await quoteFor(tokenIn, tokenOut, tokenIn === 'WETH' ? '20' : '60000');
    const transaction = toTransaction(quote, { taker: trader, slippageBps: 50, via: 'executor' });
    for (const [from, to, size] of [
      ...sizes.map((weth) => [...sale, weth.toFixed(3)] as const),
      ...sizes.map((weth) => [...purchase, (weth * 3000).toFixed(3)] as const),
    ]) {
      const foreign = await quoteFor(from, to, size);
      await sender.restored(async () => {
        const moved = toTransaction(foreign, { taker: rival, slippageBps: 100, via: 'executor' });
        expect((await byRival.execute(foreign, moved)).ok).toBe(true);
        const { ok, spent, received } = await sender.execute(quote, transaction);
        expect(await heldByExecutor(chain)).toEqual([]);
        expect(spent).toBe(ok ? BigInt(quote.amountIn) : 0n);
        if (ok) expect(received).toBeGreaterThanOrEqual(transaction.minAmountOut);
        else expect(received).toBe(0n);
        seen[ok ? 'filled' : 'reverted'] += 1;
      });
    }
  }
  console.log(`after foreign trades: ${JSON.stringify(seen)}`);
  expect(seen.filled).toBeGreaterThan(0);
  expect(seen.reverted).toBeGreaterThan(0);
}, 300_000);

test('one leg on Uniswap v3 costs at most 8 % more gas than through the Universal Router', async () => {
  const [tokenIn, tokenOut] = [chain.wrappedNative, chain.usdc];
  const pool = poolOf(chain, 'uniswap-v3', tokenIn, tokenOut);
  const quote = await quoteOf(chain, runner, [{ pool, tokenIn, tokenOut, amountIn: 10n ** 18n }]);
  const gasOf = async (options: { via: 'router' } | { via: 'executor'; payment: 'permit2' | 'allowance' }) => {
    const transaction = toTransaction(quote, { taker: trader, slippageBps: 0, ...options });
    const { ok, gas } = await sender.restored(() => sender.execute(quote, transaction));
    expect(ok).toBe(true);
    return Number(gas);
  };
  const router = await gasOf({ via: 'router' });
  const permit2 = await gasOf({ via: 'executor', payment: 'permit2' });
  const allowance = await gasOf({ via: 'executor', payment: 'allowance' });
  console.log(`gas: Universal Router ${router}, executor by allowance ${allowance}, by Permit2 ${permit2}`);
  expect(allowance).toBeLessThan(router * 1.08);
});

test('pays exactly amountOut for a weighted pool through its family, by delegatecall', async () => {
  const opened = await polygon.builder.list({
    tokens: [ledgerToken('WPAIR', 2, taxedTokenArtifact, [[0, 0, 0]])],
    pools: [{ venue: 'balancer-v2', pair: ['WPAIR', 'WETH'], usd: 400_000, weights: [80, 20], tier: 3000 }],
  });
  const wallet = polygon.trader.address;
  const onPolygon = await senderOn(opened, wallet);
  const { engine } = engineOn(opened);
  const [tokenIn, tokenOut] = [tokenOf(opened, 'WETH').address, tokenOf(opened, 'WPAIR').address];
  const quote = asClientQuote(await engine.quote({ chain: 'polygon', tokenIn, tokenOut, size: { tokenIn: '3.25' } }));
  expect(quote.route.legs.some(({ dex }) => dex === 'balancer-v2')).toBe(true);
  const transaction = toTransaction(quote, { taker: wallet, slippageBps: 0, via: 'executor' });
  expect(transaction.to).toBe(executorAddress);
  const { received, spent } = await onPolygon.restored(() => onPolygon.execute(quote, transaction));
  expect({ received, spent }).toEqual({ received: BigInt(quote.amountOut), spent: BigInt(quote.amountIn) });
  expect(await heldByExecutor(opened)).toEqual([]);
});
