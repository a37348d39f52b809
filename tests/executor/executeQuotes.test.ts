import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toTransaction } from '../../client/index.ts';
import type { Engine, QuoteAnswer } from '../../engine/index.ts';
import { type Sandbox, type SandboxChain, standInFactories, startSandbox } from '../../sandbox/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { useSteadyClock } from '../../sandbox/testTokens/measurement/traders.ts';
import { createCases, readHoldings } from '../engine/cases.ts';
import { engineOn, hookedShapes, seeded } from '../engine/market.ts';
import { findWallet } from '../support/findWallet.ts';
import { asClientQuote, executorAddress, heldByExecutor, senderOn } from './openMarket.ts';

// Quotes of the engine, executed by the deployed executor in mined transactions of an ordinary account.

const quotesPerChain = Number(process.env.EXECUTED_QUOTES ?? 60);

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
}, 300_000);
afterAll(() => sandbox?.close());

const deadline = 4_102_444_800;

/** The calldata that the service builds for the same quote: no pool of a quote may be refused. */
function serviceData(engine: Engine, { chain, route: { legs }, ...answer }: QuoteAnswer, receiver: Address): string {
  const { tokenIn, tokenOut, amountIn, amountOut } = answer;
  const how = { receiver, slippageBps: 0, deadline: BigInt(deadline) };
  return engine.buildTransaction(chain, { tokenIn, tokenOut, amountIn, amountOut, legs, ...how }).data;
}

/** Tokens whose code refuses contracts between trader and pool; no executor can trade them. */
const refusesContracts = new Set<string>([]);

describe.each(['base', 'polygon', 'arbitrum'] as const)('%s', (name) => {
  let chain: SandboxChain;
  let trader: Address;
  let sender: Awaited<ReturnType<typeof senderOn>>;
  beforeAll(async () => {
    chain = sandbox.chains[name] as SandboxChain;
    trader = findWallet(sandbox.wallets, 'trader').address;
    sender = await senderOn(chain, trader);
    // The fee of Algebra pools depends on the time between quote and execution.
    await useSteadyClock(createNodeClient(chain.rpcUrl));
  }, 60_000);

  test(
    'default: the executor pays exactly amountOut for every quote, over all venues, and keeps nothing',
    async () => {
      const { engine } = engineOn(chain, hookedShapes(chain), { standInFactories });
      // The deployed executor proves the quotes.
      await engine.refreshDeployments();
      const next = createCases(chain, await readHoldings(chain, trader), seeded(41), 0);
      const venues = new Set<string>();
      const seen = { executed: 0, splits: 0, hops: 0 };
      const faults: string[] = [];
      for (let tries = 0; seen.executed < quotesPerChain && tries < quotesPerChain * 4; tries++) {
        const { query, tokenIn, tokenOut } = next();
        if (refusesContracts.has(tokenIn.symbol) || refusesContracts.has(tokenOut.symbol)) continue;
        const answer = await engine.quote(query);
        const quote = asClientQuote(answer);
        if (BigInt(quote.amountOut) === 0n) continue;
        const transaction = toTransaction(quote, { taker: trader, slippageBps: 0, deadline });
        expect(transaction.to).toBe(executorAddress);
        expect(serviceData(engine, answer, trader)).toBe(transaction.data);
        const { ok, spent, received, held } = await sender.restored(async () => ({
          ...(await sender.execute(quote, transaction)),
          held: await heldByExecutor(chain),
        }));
        const legs = quote.route.legs.map(({ venue, shareBps }) => `${venue} ${shareBps}`).join(', ');
        const [wantedIn, wantedOut] = [BigInt(quote.amountIn), BigInt(quote.amountOut)];
        if (!ok || received !== wantedOut || spent !== wantedIn || held.length > 0)
          faults.push(
            `${tokenIn.symbol} to ${tokenOut.symbol}, ${legs}: ${ok ? 'paid' : 'reverted'} ${received - wantedOut}, spent ${spent - wantedIn}, holds ${held}`,
          );
        seen.executed += 1;
        for (const { venue } of quote.route.legs) venues.add(venue);
        if (quote.route.legs.some(({ shareBps }) => shareBps < 10_000)) seen.splits += 1;
        if (quote.route.path.length > 2) seen.hops += 1;
      }
      console.log(`${name}: ${JSON.stringify(seen)}, ${[...venues].sort().join(' ')}`);
      expect(faults).toEqual([]);
      expect(seen.executed).toBe(quotesPerChain);
      expect(seen.splits).toBeGreaterThan(3);
      expect(seen.hops).toBeGreaterThan(3);
    },
    Math.max(600_000, quotesPerChain * 2_000),
  );
});
