import { type Address, encodeFunctionData, parseAbi } from 'viem';
import { expect, test } from 'vitest';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import type { QuoteAnswer } from '../../engine/index.ts';
import { type OpenChain, type PoolPlan, reopenChain, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { codesOf } from '../support/quoteAnswers.ts';
import { dustPool, type FreeTier, meteredEngine } from './dustPools.ts';
import { ledgerToken } from './ledgerToken.ts';
import { tokenOf } from './market.ts';

/** Dust pools that anyone can open in unused fee tiers. Each scenario compares the answers without and with them. */

const longTail = ledgerToken('LONGTAIL', 2, taxedTokenArtifact, [[0, 0, 0]]);
const onlyWeth = ledgerToken('ONLYWETH', 2, taxedTokenArtifact, [[0, 0, 0]]);
/** Tokens that are already deployed. */
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
/** Ten tiers of the sandbox's venues without a WETH/USDC pool. */
const tenTiers: FreeTier[] = [
  ...v4,
  { venue: 'uniswap-v3', tier: 100, spacing: 1 },
  { venue: 'sushiswap-v3', tier: 100, spacing: 1 },
  { venue: 'aerodrome-slipstream', tier: 1, spacing: 1, generation: 1 },
  { venue: 'aerodrome-slipstream', tier: 1, spacing: 1, generation: 2 },
];
const better = { skewBps: 2_000, side: 'below' } as const; // pays sellers of the first token more
const cheaper = { skewBps: -2_000, side: 'above' } as const; // charges buyers of the first token less

type Order = readonly [tokenIn: string, tokenOut: string, size: string];
interface Measured {
  answer: QuoteAnswer;
  /** Gas of the market's first quote, and of the next one, which has the pools' locations in its cache. */
  firstGas: number;
  gas: number;
}

async function quoteAll(chain: SandboxChain, orders: readonly Order[]): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const [tokenIn, tokenOut, size] of orders) {
    const { engine, meter } = meteredEngine(chain);
    const query = {
      chain: 'base' as const,
      tokenIn: tokenOf(chain, tokenIn).address,
      tokenOut: tokenOf(chain, tokenOut).address,
      size: { tokenIn: size },
    };
    await engine.quote(query);
    const firstGas = meter.gas;
    measured.push({ answer: await engine.quote(query), firstGas, gas: meter.gas });
  }
  return measured;
}

const splitBps = ({ flags }: QuoteAnswer) =>
  Number(flags.find(({ code }) => code === 'SPLIT_ROUTE')?.facts?.gainBps ?? 0);

const rank = { low: 0, medium: 1, high: 2 } as const;

interface Scenario {
  pools: readonly PoolPlan[];
  orders: readonly Order[];
  maxGas?: number;
  /** Further transactions of the attacker. */
  further?: (chain: SandboxChain, builder: OpenChain) => Promise<void>;
}

/** Quotes the same orders without and with the dust. @returns a line for each value that the dust made worse */
async function faultsOf({ pools, orders, maxGas = 2, further }: Scenario): Promise<string[]> {
  const sandbox = await startSandbox({ chains: ['base'] });
  try {
    const builder = await reopenChain(sandbox.chains.base as SandboxChain, sandbox.wallets);
    const clean = await builder.list({ tokens: [longTail, onlyWeth], pools: honestPools });
    const before = await quoteAll(clean, orders);
    const dusty = await builder.list({ tokens: listedTokens, pools });
    await further?.(dusty, builder);
    return compare(orders, before, await quoteAll(dusty, orders), maxGas);
  } finally {
    await sandbox.close();
  }
}

function compare(
  orders: readonly Order[],
  before: readonly Measured[],
  after: readonly Measured[],
  maxGas: number,
): string[] {
  const faults: string[] = [];
  for (const [index, order] of orders.entries()) {
    const [clean, dusty] = [before[index], after[index]] as [Measured, Measured];
    const about = `${order.join(' ')}:`;
    const [expected, actual] = [clean.answer, dusty.answer];
    if (order[0] === 'LONGTAIL' && order[2] === '30000') expect(splitBps(expected)).toBeGreaterThan(200);
    // A split may sell a little to dust that pays more, but must not receive less.
    const least = expected.amountOut - expected.amountOut / 10_000n;
    if (actual.amountOut < least) faults.push(`${about} ${expected.amountOut} became ${actual.amountOut}`);
    if (rank[actual.confidence] < rank[expected.confidence])
      faults.push(`${about} confidence ${expected.confidence} became ${actual.confidence}`);
    if (codesOf(actual).includes('VENUE_UNREAD') && !codesOf(expected).includes('VENUE_UNREAD'))
      faults.push(`${about} VENUE_UNREAD`);
    // Depth is relative to the quote's own price, so only equal quotes have equal depths.
    const isEqual = actual.amountOut <= expected.amountOut + expected.amountOut / 10_000n + 1n;
    if (isEqual && actual.depthAtSize < expected.depthAtSize * 0.95)
      faults.push(`${about} depth ${expected.depthAtSize} became ${actual.depthAtSize}`);
    if (expected.spotPrice !== null && Math.abs((actual.spotPrice ?? 0) / expected.spotPrice - 1) > 1e-3) {
      faults.push(`${about} spot ${expected.spotPrice} became ${actual.spotPrice}`);
    }
    for (const gas of [dusty.firstGas, dusty.gas]) {
      if (gas > clean.firstGas * maxGas) faults.push(`${about} gas ${clean.firstGas} became ${gas}`);
    }
  }
  return faults;
}

const sells: Order[] = ['0.1', '1', '10', '100'].map((size) => ['WETH', 'USDC', size]);
const buys: Order[] = ['300', '3000', '30000', '300000'].map((size) => ['USDC', 'WETH', size]);

/** Dust that pays over 1 bp more after its gas is part of the split, which is executed twice: measured 2.04. */
const dustInSplit = 2.2;

test('ten dust pools priced 20 % better for sellers do not change a quote', async () => {
  const pools = tenTiers.map((tier) => dustPool(tier, ['WETH', 'USDC'], better));
  expect(await faultsOf({ pools, orders: [...sells, ...buys] })).toEqual([]);
}, 120_000);

test('ten dust pools priced 20 % better for buyers do not change a quote', async () => {
  const pools = tenTiers.map((tier) => dustPool(tier, ['WETH', 'USDC'], cheaper));
  expect(await faultsOf({ pools, orders: [...buys, ...sells], maxGas: dustInSplit })).toEqual([]);
}, 120_000);

test('dust pools of a long-tail token change no quote of it', async () => {
  const tail: Order[] = ['150', '500', '5000', '30000'].flatMap((size) => [
    ['LONGTAIL', 'WETH', size] as const,
    ['LONGTAIL', 'USDC', size] as const,
    ['ONLYWETH', 'WETH', size] as const,
    ['ONLYWETH', 'USDC', size] as const,
  ]);
  const pools = ['LONGTAIL', 'ONLYWETH'].flatMap((token) =>
    tenTiers.map((tier) => dustPool(tier, [token, 'WETH'], better)),
  );
  // States and executions have separate gas limits, so dust ticks cost gas for small orders but prevent no answer.
  expect(await faultsOf({ pools, orders: tail })).toEqual([]);
}, 240_000);

test('dust pools of a long-tail token change no purchase of it', async () => {
  const tail: Order[] = ['0.1', '1', '10'].flatMap((size) => [
    ['WETH', 'LONGTAIL', size] as const,
    ['WETH', 'ONLYWETH', size] as const,
    ['USDC', 'ONLYWETH', `${Number(size) * 3000}`] as const,
  ]);
  const pools = ['LONGTAIL', 'ONLYWETH'].flatMap((token) =>
    tenTiers.map((tier) => dustPool(tier, [token, 'WETH'], cheaper)),
  );
  // States and executions have separate gas limits, so dust ticks cost gas for small orders but prevent no answer.
  expect(await faultsOf({ pools, orders: tail, maxGas: 3.5 })).toEqual([]);
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
  expect(await faultsOf({ pools: sellDust, orders })).toEqual([]);
  const buyDust = tenTiers.map((tier) => dustPool(tier, ['WETH', 'USDC'], cheaper));
  expect(await faultsOf({ pools: buyDust, orders, maxGas: dustInSplit })).toEqual([]);
}, 240_000);

test('one stale dust pool does not hide a split over a routing asset', async () => {
  const tier = { venue: 'uniswap-v4', tier: 10_000, spacing: 200 };
  const stale: PoolPlan = { venue: tier.venue, tier: tier.tier, pair: ['WETH', 'USDC'], usd: 2, skewBps: 2_000 };
  const orders: Order[] = [['LONGTAIL', 'USDC', '30000']];
  expect(await faultsOf({ pools: [stale], orders })).toEqual([]);
  expect(await faultsOf({ pools: [dustPool(tier, ['WETH', 'USDC'], better)], orders })).toEqual([]);
}, 120_000);

/** Every tier of the sandbox's venues without a WETH/USDC pool. */
const allTiers: FreeTier[] = [
  ...tenTiers,
  { venue: 'uniswap-v3', tier: 10_000, spacing: 200 },
  { venue: 'pancakeswap-v3', tier: 2500, spacing: 50 },
  { venue: 'pancakeswap-v3', tier: 10_000, spacing: 200 },
  { venue: 'sushiswap-v3', tier: 3000, spacing: 60 },
  { venue: 'sushiswap-v3', tier: 10_000, spacing: 200 },
  ...([1, 2, 3] as const).flatMap((generation) =>
    [50, 200, 2000].map((tier) => ({ venue: 'aerodrome-slipstream', tier, spacing: tier, generation })),
  ),
  { venue: 'aerodrome-slipstream', tier: 1, spacing: 1, generation: 3 },
];

test('dust in every free tier at once does not change a quote', async () => {
  const pools = allTiers.map((tier) => dustPool(tier, ['WETH', 'USDC'], better));
  expect(await faultsOf({ pools, orders: [...sells, ...buys] })).toEqual([]);
}, 240_000);

test('dust priced at a multiple of the market does not change a quote', async () => {
  for (const skewBps of [90_000, 9_990_000]) {
    // The sandbox's smallest position is worth 10 USD in a wide tier at a thousand times the price: no dust.
    const tiers = skewBps > 1_000_000 ? tenTiers.filter(({ spacing }) => spacing <= 10) : tenTiers;
    const pools = tiers.map((tier) => dustPool(tier, ['WETH', 'USDC'], { skewBps, side: 'below' }));
    expect(await faultsOf({ pools, orders: sells.slice(1) })).toEqual([]);
  }
}, 240_000);

test('pools with hundreds of dust positions do not change a quote', async () => {
  const pools = tenTiers.slice(0, 6).map((tier) => dustPool(tier, ['WETH', 'USDC'], { ...better, positions: 300 }));
  expect(await faultsOf({ pools, orders: sells })).toEqual([]);
}, 240_000);

const erc20 = parseAbi(['function transfer(address, uint256) returns (bool)']);

test('a balance sent to dust pools, or a position far from the price, does not change a quote', async () => {
  const ownAddress = tenTiers.filter(({ venue }) => venue !== 'uniswap-v4');
  const dust = ownAddress.map((tier) => dustPool(tier, ['WETH', 'USDC'], better));
  // 20,000 USD on one side at a tenth of the price, which no trade reaches. The attacker can withdraw it.
  const parked = dust.map((pool) => ({
    ...pool,
    steps: [...(pool.steps ?? []), { usd: 60_000, range: [0.08, 0.12] as const }],
  }));
  expect(await faultsOf({ pools: parked, orders: sells })).toEqual([]);

  const donate = async (listed: SandboxChain, builder: OpenChain) => {
    const pools = listed.pools.slice(-dust.length);
    const data = (to: Address) =>
      encodeFunctionData({ abi: erc20, functionName: 'transfer', args: [to, 20_000_000_000n] });
    await builder.perform(pools.map(({ pool }) => ({ to: listed.usdc, data: data(pool as Address) })));
  };
  expect(await faultsOf({ pools: dust, orders: sells, further: donate })).toEqual([]);
}, 240_000);

test('pools with 120 USD above the dust improve a quote by more than their gas costs', async () => {
  const pools = tenTiers.map((tier) => {
    const pool = dustPool(tier, ['WETH', 'USDC'], better);
    const [first, ...others] = pool.steps ?? [];
    if (!first) throw new Error('A dust pool has positions.');
    return { ...pool, steps: [{ ...first, usd: (20_000 / tier.spacing) * 120 }, ...others] };
  });
  // 1,200 USD at 20 % above the market: splitting an order of 3,000 USD over them gains 3.6 %.
  expect(await faultsOf({ pools, orders: [['WETH', 'USDC', '1']] })).toEqual([]);
}, 240_000);

test('dust pairs do not change a quote', async () => {
  const pairs = ['LONGTAIL', 'ONLYWETH'].flatMap((token) =>
    (['WETH', 'USDC'] as const).flatMap((other): PoolPlan[] => [
      { venue: 'pancakeswap-v2', pair: [token, other], usd: 2, skewBps: 2_000 },
      { venue: 'aerodrome', pair: [token, other], usd: 2, skewBps: 2_000 },
    ]),
  );
  const tail: Order[] = ['500', '5000'].flatMap((size) => [
    ['LONGTAIL', 'WETH', size] as const,
    ['LONGTAIL', 'USDC', size] as const,
    ['ONLYWETH', 'WETH', size] as const,
    ['ONLYWETH', 'USDC', size] as const,
  ]);
  // The measured ratio is about 2. A pair that was last used in an earlier second also writes its cumulative prices.
  expect(await faultsOf({ pools: pairs, orders: tail, maxGas: 2.2 })).toEqual([]);
}, 240_000);
