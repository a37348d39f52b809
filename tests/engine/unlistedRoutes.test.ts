import { beforeAll, expect, test } from 'vitest';
import { honestTokenArtifact } from '../../contracts/artifacts/sandbox/HonestToken.ts';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import type { QuoteAnswer } from '../../engine/index.ts';
import {
  createOrderRunner,
  makerAddress,
  type OrderRunner,
  type PoolPlan,
  type SandboxChain,
  type TokenPlan,
} from '../../sandbox/index.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { ledgerToken, placed } from './ledgerToken.ts';
import { engineOn, tokenOf } from './market.ts';

const traded = ledgerToken('TRADED', 0.2, taxedTokenArtifact, [[0, 0, 0]]);
/**
 * No routing asset: anyone can deploy such a token. Without decimals, amounts round to 5 USD, so that routes over it pay
 * less than the search computes.
 */
const placement = placed('MIDDLE', honestTokenArtifact, ['MIDDLE', 'MIDDLE', 0, makerAddress, 10n ** 12n]);
const middle: TokenPlan = {
  symbol: 'MIDDLE',
  address: placement.address,
  decimals: 0,
  usd: 5,
  about: 'MIDDLE',
  placement,
};
const venue = 'pancakeswap-v3';
const marketPools: PoolPlan[] = [
  { venue, tier: 500, pair: ['TRADED', 'USDT'], usd: 29_440, skewBps: 6, range: [0.2832, 2.7743] },
  {
    ...{ venue, tier: 100, pair: ['TRADED', 'USDT'], usd: 3140, skewBps: 9, range: [1e-9, 1e9] },
    steps: [
      { usd: 62_800, range: [0.985, 1.02] },
      { usd: 9420, range: [0.6, 0.8] },
    ],
  },
];
const middlePools: PoolPlan[] = [
  { venue, tier: 10_000, pair: ['MIDDLE', 'TRADED'], usd: 70_904, skewBps: 8 },
  {
    ...{ venue, tier: 500, pair: ['MIDDLE', 'ARB'], usd: 5406, skewBps: -4, range: [0.9, 1.2] },
    steps: [
      { usd: 26_686, range: [1.0412, 1.1056] },
      { usd: 7507, range: [1.0791, 1.1458] },
    ],
  },
];

const opened = useOpenChain('arbitrum');
let runner: OrderRunner;
let chain: SandboxChain;
let answersBefore: QuoteAnswer[];
const usdSizes = [1, 20, 150, 600, 1200, 2000];

const orderOf = (units: number) => ({
  chain: 'arbitrum' as const,
  tokenIn: traded.address,
  tokenOut: tokenOf(opened.chain, 'ARB').address,
  size: { tokenIn: `${units}` },
});
const quoteAll = (on: SandboxChain) =>
  Promise.all(usdSizes.map((usd) => engineOn(on).engine.quote(orderOf(usd / traded.usd))));
const pay = async ({ route: { legs }, amountIn }: QuoteAnswer) =>
  (await runner.tryOrders([{ legs, amountIn }])).movements[0]?.received ?? 0n;

beforeAll(async () => {
  const before = await opened.builder.list({ tokens: [traded], pools: marketPools });
  answersBefore = await quoteAll(before);
  const { placement: _, ...known } = traded;
  const { pools } = await opened.builder.list({ tokens: [middle, known], pools: middlePools });
  chain = { ...before, pools: [...before.pools, ...pools] };
  runner = await createOrderRunner(chain, opened.trader);
});

test('behavior: routes over a token that anyone can deploy do not displace better ones', async () => {
  for (const [index, answer] of (await quoteAll(chain)).entries()) {
    const paid = await pay(answer);
    expect(paid).toBe(answer.amountOut);
    expect(paid, `${usdSizes[index]} USD`).toBeGreaterThanOrEqual(await pay(answersBefore[index] as QuoteAnswer));
  }
});

test('behavior: an order of depthAtSize pays at least 99 % of the price beside such a token', async () => {
  for (const answer of await quoteAll(chain)) {
    const deep = await engineOn(chain).engine.quote(orderOf(Math.floor(answer.depthAtSize)));
    const price = Number(answer.amountOut) / Number(answer.amountIn);
    expect(Number(await pay(deep)) / Number(deep.amountIn), `${answer.depthAtSize}`).toBeGreaterThan(price * 0.99);
  }
});
