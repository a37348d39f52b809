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
/** Orders with a higher impact are skipped: their division may not be the best. */
const heavyImpactBps = 5_000;
/** By how much a division over two pools may exceed the answer. */
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
    'behavior: on %s no division over two pools, by quarters, pays over 5 bps more than the quote',
    async (name) => {
      const chain = sandbox.chains[name] as SandboxChain;
      const { engine } = engineOn(chain);
      const quoters = await createPublishedQuoters(chain);
      const runner = await createOrderRunner(chain, trader);
      const nextCase = createCases(chain, await readHoldings(chain, trader.address), seeded(99 + chains.indexOf(name)));
      const faults: string[] = [];
      let flagged = 0;
      for (let compared = 0; compared < casesPerChain; ) {
        const { question, tokenIn, tokenOut } = nextCase();
        const pools = poolsOfPair(chain, question.tokenIn, question.tokenOut);
        if (pools.length < 2) continue;
        const quote = await engine.quote(question);
        if (quote.route.legs.length === 0 || (quote.priceImpactBps ?? 0) > heavyImpactBps) continue;
        compared += 1;
        const quoted = quote.amountOut;
        if (quote.flags.some(({ code }) => code === 'SPLIT_ROUTE')) flagged += 1;
        const toOrder = (pool: SandboxPool, quarters: number): Order => ({
          legs: [{ venue: pool.venue, pool: pool.pool, tokenIn: question.tokenIn, tokenOut: question.tokenOut }],
          amountIn: (quote.amountIn * BigInt(quarters)) / 4n,
        });
        const shares = pools.flatMap((pool) => [1, 2, 3].map((quarters) => ({ pool, quarters })));
        const paid = await quoters.ask(
          shares.map(({ pool, quarters }) => ({
            pool,
            tokenIn: question.tokenIn,
            tokenOut: question.tokenOut,
            amountIn: toOrder(pool, quarters).amountIn,
          })),
        );
        const worth = (index: number) => (typeof paid[index] === 'bigint' ? paid[index] : 0n);
        for (const [first, one] of shares.entries()) {
          for (const [second, other] of shares.entries()) {
            if (second <= first || one.pool === other.pool || one.quarters + other.quarters !== 4) continue;
            const sum = worth(first) + worth(second);
            if (((sum - quoted) * 10_000n) / quoted <= toleranceBps) continue;
            // Some quoters also return the output of a partial fill, so execute the swaps.
            const orders = [toOrder(one.pool, one.quarters), toOrder(other.pool, other.quarters)];
            const { movements } = await runner.tryOrders(orders);
            const truth = movements.reduce((total, { received }) => total + received, 0n);
            if (movements.length < 2 || ((truth - quoted) * 10_000n) / quoted <= toleranceBps) continue;
            const how = `${one.quarters}/4 ${one.pool.venue}, ${other.quarters}/4 ${other.pool.venue}`;
            faults.push(
              `${quote.amountIn} ${tokenIn.symbol} -> ${tokenOut.symbol}: quoted ${quoted}, ${how} pay ${truth}`,
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
