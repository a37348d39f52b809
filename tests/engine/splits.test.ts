import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createOrderRunner,
  createPublishedQuoters,
  type Order,
  type Sandbox,
  type SandboxChain,
  type SandboxPool,
  type SandboxWallet,
  startSandbox,
} from '../../sandbox/index.ts';
import { isFullSize } from '../support/proofSize.ts';
import { createCases, readHoldings } from './cases.ts';
import { engineOn, poolsOfPair, seeded } from './market.ts';

const chains = ['base', 'polygon', 'arbitrum'] as const;
const casesPerChain = isFullSize ? 80 : 40;
/** Orders with a higher impact are skipped: the search may not find their best split. */
const maxImpactBps = 5_000;
/** Tolerance by which a split over two pools may exceed the quote. */
const toleranceBps = 5n;

let sandbox: Sandbox;
let trader: SandboxWallet;
beforeAll(async () => {
  sandbox = await startSandbox();
  trader = sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet;
});
afterAll(() => sandbox?.close());

describe.concurrent('splits', () => {
  test.each(chains)(
    'behavior: on %s no split over two pools in quarters pays over 5 bps more than the quote',
    async (name) => {
      const chain = sandbox.chains[name] as SandboxChain;
      const { engine } = engineOn(chain);
      const quoters = await createPublishedQuoters(chain);
      const runner = await createOrderRunner(chain, trader);
      const nextCase = createCases(chain, await readHoldings(chain, trader.address), seeded(99 + chains.indexOf(name)));
      const faults: string[] = [];
      let flagged = 0;
      for (let compared = 0; compared < casesPerChain; ) {
        const { query, tokenIn, tokenOut } = nextCase();
        const pools = poolsOfPair(chain, query.tokenIn, query.tokenOut);
        if (pools.length < 2) continue;
        const quote = await engine.quote(query);
        if (quote.route.legs.length === 0 || (quote.priceImpactBps ?? 0) > maxImpactBps) continue;
        compared += 1;
        const quoted = quote.amountOut;
        if (quote.flags.some(({ code }) => code === 'SPLIT_ROUTE')) flagged += 1;
        const toOrder = (pool: SandboxPool, quarters: number): Order => ({
          legs: [{ venue: pool.venue, pool: pool.pool, tokenIn: query.tokenIn, tokenOut: query.tokenOut }],
          amountIn: (quote.amountIn * BigInt(quarters)) / 4n,
        });
        const shares = pools.flatMap((pool) => [1, 2, 3].map((quarters) => ({ pool, quarters })));
        const outputs = await quoters.quote(
          shares.map(({ pool, quarters }) => ({
            pool,
            tokenIn: query.tokenIn,
            tokenOut: query.tokenOut,
            amountIn: toOrder(pool, quarters).amountIn,
          })),
        );
        const outputOf = (index: number) => (typeof outputs[index] === 'bigint' ? outputs[index] : 0n);
        for (const [first, one] of shares.entries()) {
          for (const [second, other] of shares.entries()) {
            if (second <= first || one.pool === other.pool || one.quarters + other.quarters !== 4) continue;
            const sum = outputOf(first) + outputOf(second);
            if (((sum - quoted) * 10_000n) / quoted <= toleranceBps) continue;
            // Some quoters also return the output of a partial fill, so execute the swaps.
            const orders = [toOrder(one.pool, one.quarters), toOrder(other.pool, other.quarters)];
            const { movements } = await runner.tryOrders(orders);
            const executed = movements.reduce((total, { received }) => total + received, 0n);
            if (movements.length < 2 || ((executed - quoted) * 10_000n) / quoted <= toleranceBps) continue;
            const split = `${one.quarters}/4 ${one.pool.venue}, ${other.quarters}/4 ${other.pool.venue}`;
            faults.push(
              `${quote.amountIn} ${tokenIn.symbol} -> ${tokenOut.symbol}: quoted ${quoted}, ${split} pay ${executed}`,
            );
          }
        }
      }
      expect(faults).toEqual([]);
      expect(flagged).toBeGreaterThan(casesPerChain / 10);
    },
    300_000,
  );
});
