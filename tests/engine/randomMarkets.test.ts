import type { Address } from 'viem';
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
import { ledgerToken } from './ledgerToken.ts';
import { type EngineOnChain, engineOn, poolsOfPair, seeded, toDecimal } from './market.ts';

/** The test splits an order into this many parts and executes every distribution of them over the pools. */
const parts = 8;
/** By how much such a split may exceed the quote: more for an order that moves the market more. */
const toleranceBps = (impactBps: number | null) => BigInt(5 + Math.ceil((impactBps ?? 10_000) / 40));
const venues: readonly Pick<PoolPlan, 'venue' | 'tier'>[] = [
  ...[100, 500, 3000, 10_000].map((tier) => ({ venue: 'uniswap-v3', tier })),
  ...[100, 500, 2500].map((tier) => ({ venue: 'pancakeswap-v3', tier })),
  ...[500, 3000].map((tier) => ({ venue: 'uniswap-v4', tier })),
  { venue: 'aerodrome-slipstream', tier: 100 },
  { venue: 'uniswap-v2' },
  { venue: 'sushiswap-v2' },
  { venue: 'aerodrome' },
];
const random = seeded(20_261_122);

const markets = Array.from({ length: isFullSize ? 10 : 4 }, (_, index) => {
  const [first, second] = (['A', 'B'] as const).map((side) =>
    ledgerToken(`M${index}${side}`, side === 'A' ? 2 : 1, taxedTokenArtifact, [[0, 0, 0]]),
  ) as [ReturnType<typeof ledgerToken>, ReturnType<typeof ledgerToken>];
  const chosen = [...venues].sort(() => random() - 0.5).slice(0, 2 + Math.floor(random() * 4));
  return { first, second, pools: chosen.map((venue) => poolAt(venue, [first.symbol, second.symbol])) };
});

/** A deep or shallow pool over the full range or near the price only; the latter takes only a part of a large order. */
function poolAt(venue: Pick<PoolPlan, 'venue' | 'tier'>, pair: readonly [string, string]): PoolPlan {
  const usd = Math.round(10 ** (4 + random() * 3));
  const skewBps = Math.round((random() - 0.5) * 60);
  const shape = random();
  if (venue.tier === undefined || shape > 0.7) return { ...venue, pair, usd, skewBps };
  if (shape < 0.4) return { ...venue, pair, usd, skewBps, range: [0.98 - random() * 0.3, 1.02 + random() * 0.4] };
  return { ...venue, pair, usd, skewBps, range: [0.5, 2], steps: [{ usd: usd * 10, range: [0.97, 1.03] }] };
}

let sandbox: Sandbox;
let chain: SandboxChain;
let runner: OrderRunner;
let engineOnBase: EngineOnChain;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  const trader = sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet;
  const builder = await reopenChain(sandbox.chains.base as SandboxChain, sandbox.wallets);
  chain = await builder.list({
    tokens: markets.flatMap(({ first, second }) => [first, second]),
    pools: markets.flatMap(({ pools }) => pools),
  });
  runner = await createOrderRunner(chain, trader);
  engineOnBase = engineOn(chain);
});
afterAll(() => sandbox?.close());

/** Each pool's executed outputs for zero, one, two … parts; a row ends at the first size that the pool rejects. */
function fillsByPart(tokenIn: Address, tokenOut: Address, amountIn: bigint): Promise<bigint[][]> {
  return Promise.all(
    poolsOfPair(chain, tokenIn, tokenOut).map(({ venue, pool }) => ({ venue, pool, tokenIn, tokenOut })),
  ).then(async (legs) => {
    const rows: bigint[][] = [];
    for (const leg of legs) {
      const row = [0n];
      for (let taken = 1n; taken <= BigInt(parts); taken++) {
        const { movements } = await runner.tryOrders([{ legs: [leg], amountIn: (amountIn * taken) / BigInt(parts) }]);
        if (!movements[0]) break;
        row.push(movements[0].received);
      }
      rows.push(row);
    }
    return rows;
  });
}

/** The largest output of all distributions of the parts. */
function bestSplit(rows: readonly bigint[][], left = parts): bigint | undefined {
  const [row, ...rest] = rows;
  if (!row) return left === 0 ? 0n : undefined;
  let best: bigint | undefined;
  for (const [own, paid] of row.entries()) {
    const others = own <= left ? bestSplit(rest, left - own) : undefined;
    if (others !== undefined && (best === undefined || paid + others > best)) best = paid + others;
  }
  return best;
}

test('behavior: in random markets no split pays much more than the quote, and swaps pay the quote', async () => {
  const faults: string[] = [];
  let splits = 0;
  let splitsBesideSinglePool = 0;
  for (const { first, second } of markets) {
    for (const [tokenIn, tokenOut] of [
      [first, second],
      [second, first],
    ] as const) {
      for (const usd of [3_000, 30_000, 300_000]) {
        const amountIn = BigInt(usd / tokenIn.usd) * 10n ** 18n;
        const size = { tokenIn: toDecimal(amountIn, 18) };
        const quote = await engineOnBase.engine.quote({
          chain: 'base',
          tokenIn: tokenIn.address,
          tokenOut: tokenOut.address,
          size,
        });
        if (quote.amountOut === 0n) continue;
        const most = bestSplit(await fillsByPart(tokenIn.address, tokenOut.address, amountIn)) ?? 0n;
        const known = quote.amountOut;
        const about = `${usd} USD of ${tokenIn.symbol}: quoted ${known}`;
        if (((most - known) * 10_000n) / known > toleranceBps(quote.priceImpactBps))
          faults.push(`${about}, a split pays ${most}`);
        if (!quote.flags.some(({ code }) => code === 'SPLIT_ROUTE')) continue;
        splits += 1;
        if (quote.flags.some(({ code }) => code === 'SINGLE_POOL')) splitsBesideSinglePool += 1;
        const { movements } = await runner.tryOrders([{ legs: quote.route.legs, amountIn }]);
        const paid = movements.reduce((sum, { received }) => sum + received, 0n);
        if (paid !== known) faults.push(`${about}, the swaps pay ${paid}`);
      }
    }
  }
  expect(faults).toEqual([]);
  expect(splits).toBeGreaterThan(isFullSize ? 10 : 3);
  // If only one pool can take the whole order, others may still take a part of it.
  expect(splitsBesideSinglePool).toBeGreaterThan(0);
}, 120_000);
