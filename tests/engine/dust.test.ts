import { afterAll, beforeAll, expect, test } from 'vitest';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import type { QuoteAnswer } from '../../engine/index.ts';
import {
  type OpenChain,
  type PoolPlan,
  reopenChain,
  type Sandbox,
  type SandboxChain,
  startSandbox,
  withSnapshot,
} from '../../sandbox/index.ts';
import { codesOf, dustPool, type FreeTier, meteredEngine } from './dustPools.ts';
import { ledgerToken } from './ledgerToken.ts';
import { tokenOf } from './market.ts';

/** Pools of dust that anyone can open in free fee tiers; each scenario compares the answers without and with them. */

const longTail = ledgerToken('LONGTAIL', 2, taxedTokenArtifact, [[0, 0, 0]]);
const onlyWeth = ledgerToken('ONLYWETH', 2, taxedTokenArtifact, [[0, 0, 0]]);
/** Tokens that stand on the chain already. */
const listedTokens = [longTail, onlyWeth].map(({ placement: _, ...token }) => token);
const honestPools: PoolPlan[] = [
  { venue: 'uniswap-v2', pair: ['LONGTAIL', 'USDC'], usd: 1_000_000 },
  { venue: 'uniswap-v2', pair: ['LONGTAIL', 'WETH'], usd: 1_000_000 },
  { venue: 'sushiswap-v2', pair: ['LONGTAIL', 'WETH'], usd: 900_000 },
  { venue: 'uniswap-v3', pair: ['ONLYWETH', 'WETH'], tier: 10_000, usd: 800_000 },
];
const v4 = [
  { venue: 'uniswap-v4', tier: 100, spacing: 1 },
  { venue: 'uniswap-v4', tier: 500, spacing: 10 },
  { venue: 'uniswap-v4', tier: 10_000, spacing: 200 },
  { venue: 'uniswap-v4', tier: 100, spacing: 1, native: true },
  { venue: 'uniswap-v4', tier: 3000, spacing: 60, native: true },
  { venue: 'uniswap-v4', tier: 10_000, spacing: 200, native: true },
];
/** Ten tiers that the sandbox's WETH/USDC market leaves free. */
const tenTiers: FreeTier[] = [
  ...v4,
  { venue: 'uniswap-v3', tier: 100, spacing: 1 },
  { venue: 'sushiswap-v3', tier: 100, spacing: 1 },
  { venue: 'aerodrome-slipstream', tier: 1, spacing: 1, generation: 1 },
  { venue: 'aerodrome-slipstream', tier: 1, spacing: 1, generation: 2 },
];
const better = { skewBps: 2_000, side: 'below' } as const; // pays sellers of the first token more
const cheaper = { skewBps: -2_000, side: 'above' } as const; // charges buyers of the first token less

let sandbox: Sandbox;
let builder: OpenChain;
let chain: SandboxChain;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  builder = await reopenChain(sandbox.chains.base as SandboxChain, sandbox.wallets);
  chain = await builder.list({ tokens: [longTail, onlyWeth], pools: honestPools });
});
afterAll(() => sandbox?.close());

type Order = readonly [tokenIn: string, tokenOut: string, size: string];
interface Measured {
  answer: QuoteAnswer;
  gas: number;
}

async function askAll(orders: readonly Order[]): Promise<Measured[]> {
  const { engine, meter } = meteredEngine(chain);
  const measured: Measured[] = [];
  for (const [tokenIn, tokenOut, size] of orders) {
    const question = {
      chain: 'base' as const,
      tokenIn: tokenOf(chain, tokenIn).address,
      tokenOut: tokenOf(chain, tokenOut).address,
      size: { tokenIn: size },
    };
    // The first read of a token also looks for where it keeps balances.
    await engine.quote(question);
    measured.push({ answer: await engine.quote(question), gas: meter.gas });
  }
  return measured;
}

const splitBps = ({ flags }: QuoteAnswer) =>
  Number(flags.find(({ code }) => code === 'SPLIT_BETTER')?.facts?.betterByBps ?? 0);

/** Asks before and after, and compares what dust must not change. */
async function withDust(pools: readonly PoolPlan[], orders: readonly Order[], mostGas = 2): Promise<string[]> {
  const before = await askAll(orders);
  const after = await withSnapshot(chain, async () => {
    const listed = chain;
    chain = await builder.list({ tokens: listedTokens, pools });
    const answers = await askAll(orders).finally(() => {
      chain = listed;
    });
    return answers;
  });
  const faults: string[] = [];
  for (const [index, order] of orders.entries()) {
    const [clean, dusty] = [before[index], after[index]] as [Measured, Measured];
    const about = `${order.join(' ')}:`;
    const [want, got] = [clean.answer, dusty.answer];
    const least = want.amountOut - want.amountOut / 10_000n;
    if (got.amountOut < least || got.amountOut > want.amountOut + want.amountOut / 10_000n + 1n) {
      faults.push(`${about} ${want.amountOut} became ${got.amountOut}`);
    }
    if (got.confidence !== want.confidence) faults.push(`${about} confidence ${want.confidence} became ${got.confidence}`);
    if (splitBps(got) < splitBps(want) - 1) faults.push(`${about} split ${splitBps(want)} became ${splitBps(got)} bps`);
    if (codesOf(got).includes('VENUE_UNREAD') && !codesOf(want).includes('VENUE_UNREAD')) faults.push(`${about} VENUE_UNREAD`);
    if (codesOf(got).includes('SPLIT_UNREAD') && !codesOf(want).includes('SPLIT_UNREAD')) faults.push(`${about} SPLIT_UNREAD`);
    if (got.depthAtSize < want.depthAtSize * 0.95) faults.push(`${about} depth ${want.depthAtSize} became ${got.depthAtSize}`);
    if (want.spotPrice !== null && Math.abs((got.spotPrice ?? 0) / want.spotPrice - 1) > 1e-3) {
      faults.push(`${about} spot ${want.spotPrice} became ${got.spotPrice}`);
    }
    if (dusty.gas > clean.gas * mostGas) faults.push(`${about} gas ${clean.gas} became ${dusty.gas}`);
    if (process.env.DUST_GAS) {
      console.log(`${about} ${want.amountOut} ${got.amountOut} ${want.confidence} gas ${clean.gas} -> ${dusty.gas} split ${splitBps(want)} ${splitBps(got)} depth ${want.depthAtSize} ${got.depthAtSize}`);
    }
  }
  return faults;
}

const sells: Order[] = ['0.1', '1', '10', '100'].map((size) => ['WETH', 'USDC', size]);
const buys: Order[] = ['300', '3000', '30000', '300000'].map((size) => ['USDC', 'WETH', size]);

test('ten dust pools priced 20 % better for sellers do not change a quote', async () => {
  const pools = tenTiers.map((tier) => dustPool(tier, ['WETH', 'USDC'], better));
  expect(await withDust(pools, [...sells, ...buys])).toEqual([]);
}, 120_000);

test('ten dust pools priced 20 % better for buyers do not change a quote', async () => {
  const pools = tenTiers.map((tier) => dustPool(tier, ['WETH', 'USDC'], cheaper));
  expect(await withDust(pools, [...buys, ...sells])).toEqual([]);
}, 120_000);

const tailTiers: FreeTier[] = [...tenTiers, { venue: 'uniswap-v4', tier: 500, spacing: 10, native: true }];

test('dust pools of a long-tail token change no quote of it', async () => {
  const tail: Order[] = ['50', '500', '5000', '30000'].flatMap((size) => [
    ['LONGTAIL', 'WETH', size] as const,
    ['LONGTAIL', 'USDC', size] as const,
    ['ONLYWETH', 'WETH', size] as const,
    ['ONLYWETH', 'USDC', size] as const,
  ]);
  const pools = ['LONGTAIL', 'ONLYWETH'].flatMap((token) =>
    tailTiers.map((tier) => dustPool(tier, [token, 'WETH'], better)),
  );
  expect(await withDust(pools, tail)).toEqual([]);
}, 240_000);

test('dust pools of a long-tail token change no purchase of it', async () => {
  const tail: Order[] = ['0.1', '1', '10'].flatMap((size) => [
    ['WETH', 'LONGTAIL', size] as const,
    ['WETH', 'ONLYWETH', size] as const,
    ['USDC', 'ONLYWETH', `${Number(size) * 3000}`] as const,
  ]);
  const pools = ['LONGTAIL', 'ONLYWETH'].flatMap((token) =>
    tailTiers.map((tier) => dustPool(tier, [token, 'WETH'], cheaper)),
  );
  expect(await withDust(pools, tail)).toEqual([]);
}, 240_000);

test('dust pools of the middle pair change no quote over two hops', async () => {
  const orders: Order[] = [
    ['OAK', 'WETH', '100'],
    ['OAK', 'WETH', '5000'],
    ['ELM', 'USDC', '10'],
    ['ELM', 'USDC', '500'],
    ['ONLYWETH', 'USDC', '1000'],
  ];
  const sellDust = tenTiers.map((tier) => dustPool(tier, ['WETH', 'USDC'], better));
  expect(await withDust(sellDust, orders)).toEqual([]);
  const buyDust = tenTiers.map((tier) => dustPool(tier, ['WETH', 'USDC'], cheaper));
  expect(await withDust(buyDust, orders)).toEqual([]);
}, 240_000);

test('one stale dust pool does not hide a split over a base asset', async () => {
  const tier = { venue: 'uniswap-v4', tier: 10_000, spacing: 200 };
  const stale: PoolPlan = { venue: tier.venue, tier: tier.tier, pair: ['WETH', 'USDC'], usd: 2, skewBps: 2_000 };
  const orders: Order[] = [['LONGTAIL', 'USDC', '30000']];
  const [clean] = await askAll(orders);
  expect(splitBps((clean as Measured).answer)).toBeGreaterThan(200);
  expect(await withDust([stale], orders)).toEqual([]);
  expect(await withDust([dustPool(tier, ['WETH', 'USDC'], better)], orders)).toEqual([]);
}, 120_000);
