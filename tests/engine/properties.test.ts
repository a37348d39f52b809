import fc from 'fast-check';
import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { byChain, deployments, type QuoteAnswer } from '../../engine/index.ts';
import {
  type Sandbox,
  type SandboxChain,
  type SandboxPool,
  type SandboxToken,
  type SandboxWallet,
  startSandbox,
} from '../../sandbox/index.ts';
import { isFullSize } from '../support/proofSize.ts';
import { answerFaults } from './answerFaults.ts';
import { createCases, readHoldings } from './cases.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { type EngineOnChain, engineOn, seeded, toDecimal, tradedTokens, withChainRestored } from './market.ts';
import { setFeed } from './setFeed.ts';

const chains = ['base', 'polygon', 'arbitrum'] as const;
const freshnessMs = byChain((chain) => deployments[chain].freshnessMs);

let sandbox: Sandbox;
let trader: SandboxWallet;
let now = 1_800_000_000_000;
const engines: Record<string, EngineOnChain> = {};
const holdings: Record<string, Map<Address, bigint>> = {};

beforeAll(async () => {
  sandbox = await startSandbox();
  trader = sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet;
  for (const name of chains) {
    const chain = sandbox.chains[name] as SandboxChain;
    engines[name] = engineOn(chain, [], { now: () => now, freshnessMs });
    holdings[name] = await readHoldings(chain, trader.address);
  }
});
afterAll(() => sandbox?.close());

/** Quotes an order. The clock advances a minute first, so that no answer comes from the cache. */
function quoteOf(
  chain: SandboxChain,
  tokenIn: SandboxToken,
  tokenOut: SandboxToken,
  amountIn: bigint,
): Promise<QuoteAnswer> {
  now += 60_000;
  const size = { tokenIn: toDecimal(amountIn, tokenIn.decimals) };
  const { engine } = engines[chain.name] as EngineOnChain;
  return engine.quote({ chain: chain.name, tokenIn: tokenIn.address, tokenOut: tokenOut.address, size });
}

function pairOf(chain: SandboxChain, pool: SandboxPool, turned: boolean): [SandboxToken, SandboxToken] {
  const [first, second] = tradedTokens(chain, pool).map((address) =>
    chain.tokens.find((token) => token.address.toLowerCase() === address.toLowerCase()),
  ) as [SandboxToken, SandboxToken];
  return turned ? [second, first] : [first, second];
}

/** From 1 to 10 million USD: for smaller sizes the rounding of a token with six decimals dominates. */
const dollars = fc.double({ min: 0, max: 7, noNaN: true }).map((exponent) => 10 ** exponent);
/** USD value that the trader holds of every token. */
const heldDollars = 50_000_000;

describe.concurrent('scale', () => {
  test.each(chains)(
    'behavior: on %s a larger size never has a better price or a smaller output',
    async (name) => {
      const chain = sandbox.chains[name] as SandboxChain;
      const pool = fc.nat(chain.pools.length - 1).map((index) => chain.pools[index] as SandboxPool);
      const factor = fc.double({ min: 1, max: 4, noNaN: true }).map((exponent) => 10 ** exponent / 9.99);
      let compared = 0;
      await fc.assert(
        fc.asyncProperty(pool, fc.boolean(), dollars, factor, async (picked, turned, usd, times) => {
          const [tokenIn, tokenOut] = pairOf(chain, picked, turned);
          const held = holdings[name]?.get(tokenIn.address) ?? 0n;
          const less = (held * BigInt(Math.round(usd * 1e6))) / BigInt(heldDollars * 1e6);
          const more = (less * BigInt(Math.round(times * 1e6))) / 1_000_000n;
          const [small, large] = [
            await quoteOf(chain, tokenIn, tokenOut, less),
            await quoteOf(chain, tokenIn, tokenOut, more),
          ];
          if (small.amountOut === 0n || large.amountOut === 0n) return;
          compared += 1;
          // Rounding may deduct units from the small order: of both tokens, and of a six-decimal token between them.
          const legs = small.route.legs.length;
          const slack = 4 / Number(less) + 4 / Number(small.amountOut) + (legs > 1 ? 4e-6 / usd : 0);
          expect(large.executablePrice).toBeLessThanOrEqual(small.executablePrice * (1 + slack));
          expect(large.amountOut >= small.amountOut).toBe(true);
        }),
        { numRuns: isFullSize ? 60 : 30, seed: 20_261_121 },
      );
      expect(compared).toBeGreaterThan(isFullSize ? 20 : 10);
    },
    300_000,
  );
});

test.each(chains)(
  'behavior: on %s a sale and its reverse never return more than was sold',
  async (name) => {
    const chain = sandbox.chains[name] as SandboxChain;
    const pool = fc.nat(chain.pools.length - 1).map((index) => chain.pools[index] as SandboxPool);
    let returned = 0;
    await fc.assert(
      fc.asyncProperty(pool, fc.boolean(), dollars, async (picked, turned, usd) => {
        const [tokenIn, tokenOut] = pairOf(chain, picked, turned);
        const held = holdings[name]?.get(tokenIn.address) ?? 0n;
        const amountIn = (held * BigInt(Math.round(usd * 1e6))) / BigInt(heldDollars * 1e6);
        const there = await quoteOf(chain, tokenIn, tokenOut, amountIn);
        if (there.amountOut === 0n) return;
        const back = await quoteOf(chain, tokenOut, tokenIn, there.amountOut);
        expect(back.amountOut <= amountIn).toBe(true);
        if (back.amountOut > 0n) returned += 1;
      }),
      { numRuns: isFullSize ? 25 : 12, seed: 20_261_121 },
    );
    expect(returned).toBeGreaterThan(isFullSize ? 15 : 7);
  },
  120_000,
);

const feeds = {
  ethUsd: '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70',
  sequencer: '0xBCF85224fc0756B9Fa45aA7892530B47e10b6433',
} as const;

/** Faults of Base's feeds, and `updatedAt` of STALE_ORACLE for ether; -1 if it is not compared. */
const feedFaults: readonly [string, (chain: SandboxChain) => Promise<void>, number | null][] = [
  ['the sequencer is down', (chain) => setFeed(chain, trader.address, feeds.sequencer, [1n, 1_600_000_000n, 0n]), -1],
  [
    'a feed is stale',
    (chain) => setFeed(chain, trader.address, feeds.ethUsd, [3_000_00000000n, 1n, 1_700_000_000n]),
    1_700_000_000,
  ],
  ['a feed has no code', (chain) => setCode(chain, feeds.ethUsd, '0x'), null],
  ['a feed reverts', (chain) => setCode(chain, feeds.ethUsd, '0x5f5ffd'), null],
  ['a feed burns its gas', (chain) => setCode(chain, feeds.ethUsd, '0x5b5f56'), null],
];

async function setCode(chain: SandboxChain, address: Address, code: string): Promise<void> {
  const call = { method: 'anvil_setCode', params: [address, code] };
  await loopbackEndpoint(chain.rpcUrl).send([call], { signal: AbortSignal.timeout(10_000) });
}

test.each(feedFaults)('behavior: answers follow every published rule when %s', async (_case, breakFeed, updatedAt) => {
  const chain = sandbox.chains.base as SandboxChain;
  const { engine } = engines.base as EngineOnChain;
  const nextCase = createCases(chain, holdings.base ?? new Map(), seeded(4), 1);
  await withChainRestored(chain, async () => {
    await breakFeed(chain);
    for (let index = 0; index < (isFullSize ? 40 : 20); index++) {
      now += 60_000;
      const { query, tokenIn } = nextCase();
      const answer = await engine.quote(query);
      const about = `${tokenIn.symbol} for ${JSON.stringify(query.size)}`;
      expect(answerFaults(answer, { freshnessMs: freshnessMs.base, usd: true, finer: false }), about).toEqual([]);
      const flag = answer.flags.find(({ code }) => code === 'STALE_ORACLE');
      if (tokenIn.symbol === 'WETH') expect(flag?.facts).toHaveProperty('updatedAt');
      if (tokenIn.symbol === 'WETH' && updatedAt !== -1) expect(flag?.facts).toMatchObject({ updatedAt });
    }
  });
});
