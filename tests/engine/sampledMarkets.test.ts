import { afterAll, beforeAll, expect, test } from 'vitest';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import {
  createOrderRunner,
  type OrderRunner,
  type PoolPlan,
  reopenChain,
  type Sandbox,
  type SandboxChain,
  type SandboxWallet,
  startSandbox,
} from '../../sandbox/index.ts';
import { isFullSize } from '../support/proofSize.ts';
import { fillsByPart, mostOf } from './gridOfFills.ts';
import { ledgerToken } from './ledgerToken.ts';
import { type EngineOnChain, engineOn, seeded } from './market.ts';

// Generated markets, each with one or two pools that only an execution can measure, beside two or three others. The best
// plan is found by executing swaps of many sizes in every pool, without any formula.

const parts = 32;
const [p90Bps, mostBps] = [5, 20];
const random = seeded(20_261_129);

const measured: readonly Pick<PoolPlan, 'venue' | 'tier' | 'hook'>[] = [
  { venue: 'uniswap-v4', tier: 3000, hook: 'dynamic-fee' },
  { venue: 'uniswap-v4', tier: 500, hook: 'takes-fee' },
  { venue: 'quickswap-v4' },
];
const computed: readonly Pick<PoolPlan, 'venue' | 'tier'>[] = [
  { venue: 'uniswap-v2' },
  { venue: 'uniswap-v3', tier: 3000 },
  { venue: 'uniswap-v3', tier: 500 },
  { venue: 'pancakeswap-v3', tier: 2500 },
  { venue: 'aerodrome' },
];

const shuffled = <T>(list: readonly T[]) => [...list].sort(() => random() - 0.5);

const markets = Array.from({ length: isFullSize ? 50 : 10 }, (_, index) => {
  const token = ledgerToken(`SAMPLED${index}`, 2, taxedTokenArtifact, [[0, 0, 0]]);
  const venues = [
    ...shuffled(measured).slice(0, 1 + Math.floor(random() * 2)),
    ...shuffled(computed).slice(0, 2 + Math.floor(random() * 2)),
  ];
  const pools = venues.map((venue): PoolPlan => {
    const usd = Math.round(10 ** (4.5 + random() * 1.5));
    const plan = { ...venue, pair: [token.symbol, 'USDC'] as const, usd, skewBps: Math.round((random() - 0.5) * 40) };
    // Ranges of different liquidity: the price falls faster beyond their ends.
    const isStepped = !['uniswap-v2', 'aerodrome'].includes(venue.venue) && random() < 0.6;
    const width = 0.02 + random() * 0.2;
    const steps = [
      { usd: Math.round(usd * (1 + random() * 3)), range: [1 - width, 1 + width] as const },
      { usd: Math.ceil(usd * random()), range: [1 - width / 3, 1 + width / 2] as const },
    ];
    return isStepped ? { ...plan, range: [0.3, 3] as const, steps } : plan;
  });
  return { token, pools, size: Math.round(10 ** (3 + random() * 1.6)) };
});

let sandbox: Sandbox;
let chain: SandboxChain;
let runner: OrderRunner;
let onBase: EngineOnChain;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  const builder = await reopenChain(sandbox.chains.base as SandboxChain, sandbox.wallets);
  chain = await builder.list({
    tokens: markets.map(({ token }) => token),
    pools: markets.flatMap(({ pools }) => pools),
  });
  runner = await createOrderRunner(chain, sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet);
  onBase = engineOn(chain);
}, 120_000);
afterAll(() => sandbox?.close());

test('the answer is within 5 bps (p90) and 20 bps of the best plan of executed swaps', async () => {
  const losses: number[] = [];
  let overMeasured = 0;
  for (const { token, size } of markets) {
    const amountIn = BigInt(size) * 10n ** 18n;
    const answer = await onBase.engine.quote({
      chain: 'base',
      tokenIn: token.address,
      tokenOut: chain.usdc,
      size: { tokenIn: `${size}` },
    });
    const { movements } = await runner.tryOrders([{ legs: answer.route.legs, amountIn }]);
    expect(movements.map(({ received }) => received)).toEqual([answer.amountOut]);
    const most = mostOf(await fillsByPart(runner, chain, [token.address, chain.usdc], amountIn, parts));
    losses.push(Number(((most - answer.amountOut) * 100_000n) / most) / 10);
    const venues = answer.route.legs.map(({ venue }) => venue);
    if (venues.length > 1 && venues.some((venue) => venue.endsWith('v4'))) overMeasured += 1;
  }
  const sorted = losses.toSorted((a, b) => a - b);
  expect(sorted[Math.floor(sorted.length * 0.9)]).toBeLessThanOrEqual(p90Bps);
  expect(sorted.at(-1)).toBeLessThanOrEqual(mostBps);
  expect(overMeasured).toBeGreaterThan(markets.length / 2);
}, 600_000);
