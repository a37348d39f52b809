import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostileWeightedPoolArtifact } from '../../contracts/artifacts/sandbox/HostileWeightedPool.ts';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import type { Engine, QuoteAnswer } from '../../engine/index.ts';
import {
  type OpenChain,
  reopenChain,
  type Sandbox,
  type SandboxChain,
  type SandboxWallet,
  startSandbox,
} from '../../sandbox/index.ts';
import { executed } from './executed.ts';
import { ledgerToken, placed } from './ledgerToken.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { engineOver, tokenOf, withChainRestored } from './market.ts';
import { openWeighted } from './weightedMarket.ts';

// Twenty weighted pools of one token beside an honest one. Anyone can create such pools at any price. Other code than that
// of Balancer's factories is impossible; with it, the tests show that even pools which lie or fail cost nothing but
// requests.

/** Faults of HostileWeightedPool, in the contract's order. */
const faults = ['LiesInWeights', 'HidesFee', 'PaysHalf', 'BurnsSwap', 'BurnsReads', 'RevertsSwap', 'IsPaused'] as const;
const crowdSize = 20;

/** Two tokens with equal markets; the pools are added to that of CROWD. */
const tokens = ['CALM', 'CROWD'].map((symbol) => ledgerToken(symbol, 2, taxedTokenArtifact, [[0, 0, 0]]));
const prices = { CALM: 2, CROWD: 2, USDC: 1 };

let sandbox: Sandbox;
let builder: OpenChain;
let chain: SandboxChain;
let trader: SandboxWallet;
let calm: QuoteAnswer[];

beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['arbitrum'] });
  trader = sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet;
  builder = await reopenChain(sandbox.chains.arbitrum as SandboxChain, sandbox.wallets);
  const pools = tokens.map(({ symbol }) => ({
    ...{ venue: 'uniswap-v3', pair: [symbol, 'USDC'] as const, usd: 200_000, tier: 3000 },
  }));
  chain = await builder.list({ tokens, pools });
  for (const { symbol } of tokens) {
    const plan = { symbols: [symbol, 'USDC'], weights: [50, 50], usd: 1_000_000, prices };
    ({ chain } = await openWeighted(builder, chain, plan));
  }
  const engine = engineOver(chain, loopbackEndpoint(chain.rpcUrl));
  await askAll(engine);
  calm = await askAll(engine);
  for (const { route } of calm) expect(route.legs.map(({ dex }) => dex)).toContain('balancer-v2');
}, 120_000);
afterAll(() => sandbox?.close());

type Order = readonly [tokenIn: string, tokenOut: string, size: string];
const orders: readonly Order[] = [
  ['CROWD', 'USDC', '100'],
  ['USDC', 'CROWD', '200'],
  ['CROWD', 'USDC', '5000'],
  ['USDC', 'CROWD', '20000'],
];

const ask = (engine: Engine, [tokenIn, tokenOut, size]: Order): Promise<QuoteAnswer> =>
  engine.quote({
    chain: 'arbitrum',
    tokenIn: tokenOf(chain, tokenIn).address,
    tokenOut: tokenOf(chain, tokenOut).address,
    size: { tokenIn: size },
  });

async function askAll(engine: Engine): Promise<QuoteAnswer[]> {
  const answers: QuoteAnswer[] = [];
  for (const order of orders) answers.push(await ask(engine, order));
  return answers;
}

/** Returns the chain with the pools in its list. */
async function addPools(
  usd: number,
  priceAt: (index: number) => number,
  faultAt?: (index: number) => number,
): Promise<SandboxChain> {
  let crowded = chain;
  for (let index = 0; index < crowdSize; index++) {
    const plan = { symbols: ['CROWD', 'USDC'], weights: [50, 50], usd, prices: { ...prices, CROWD: priceAt(index) } };
    const { pool, id, chain: listed } = await openWeighted(builder, crowded, plan);
    crowded = listed;
    if (!faultAt) continue;
    const { creation } = placed('weighted', hostileWeightedPoolArtifact, [faultAt(index), id]);
    await builder.place([{ address: pool, creation }]);
  }
  return crowded;
}

/** Asks each question twice: the market is known then. */
async function expectAnswers(
  crowded: SandboxChain,
  maxRequests: number,
  check: (answer: QuoteAnswer, calm: QuoteAnswer) => void,
) {
  const endpoint = loopbackEndpoint(chain.rpcUrl);
  const engine = engineOver(chain, endpoint);
  for (const [index, order] of orders.entries()) {
    await ask(engine, order);
    endpoint.requests = 0;
    const answer = await ask(engine, order);
    expect(endpoint.requests, order.join(' ')).toBeLessThanOrEqual(maxRequests);
    check(answer, calm[index] as QuoteAnswer);
    const paid = await executed(crowded, answer.route.legs, answer.amountIn, trader);
    expect(paid?.received).toBe(answer.amountOut);
  }
}

test('twenty pools of dust at prices 20 % off make no answer worse, add no request and take at most 1.5 times as long', async () => {
  await withChainRestored(chain, async () => {
    const crowded = await addPools(20, (index) => (index % 2 === 0 ? 1.6 : 2.4));
    await expectAnswers(crowded, 1, (answer, before) => {
      expect(answer.amountOut).toBeGreaterThanOrEqual(before.amountOut);
      expect([answer.confidence, answer.spotPrice]).toEqual([before.confidence, before.spotPrice]);
    });
    const ratio = await timeRatio(['5000', '6000', '8000', '10000']);
    console.log(`time beside twenty pools of dust: ${ratio.toFixed(2)}`);
    expect(ratio).toBeLessThan(1.5);
  });
}, 120_000);

/** Time of a known market with the pools and without them, asked in turn; ratio of the 10th percentiles. */
async function timeRatio(sizes: readonly string[], rounds = 40): Promise<number> {
  const engine = engineOver(chain, loopbackEndpoint(chain.rpcUrl));
  const times: Record<string, number[]> = { CALM: [], CROWD: [] };
  for (let round = 0; round < rounds; round++) {
    for (const symbol of round % 2 ? ['CALM', 'CROWD'] : ['CROWD', 'CALM']) {
      const size = sizes[round % sizes.length] as string;
      const start = performance.now();
      await ask(engine, [symbol, 'USDC', size]);
      if (round >= 8) times[symbol]?.push(performance.now() - start);
    }
  }
  const [crowd, alone] = ['CROWD', 'CALM'].map((symbol) => {
    const sorted = times[symbol]?.sort((a, b) => a - b) ?? [];
    return sorted[Math.floor(sorted.length / 10)] ?? Number.NaN;
  }) as [number, number];
  return crowd / alone;
}

describe.each([...faults, 'a fault each'] as const)('twenty pools whose code becomes one that %s', (fault) => {
  test('change no answer; each round of lies costs one request, at most two', async () => {
    await withChainRestored(chain, async () => {
      const crowded = await addPools(
        300_000,
        () => 2,
        (index) => (fault === 'a fault each' ? index % faults.length : faults.indexOf(fault)),
      );
      await expectAnswers(crowded, 3, (answer, before) => {
        expect(answer.amountOut).toBe(before.amountOut);
        expect(answer.spotPrice).toBe(before.spotPrice);
      });
    });
  }, 60_000);
});
