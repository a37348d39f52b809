import { type Address, decodeFunctionData } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stateLensArtifact } from '../../contracts/artifacts/lens/StateLens.ts';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import type { Engine, QuoteAnswer, RpcEndpoint } from '../../engine/index.ts';
import { stateSelector } from '../../engine/pools/encodeStateCall.ts';
import { maxUnlistedPools } from '../../engine/pools/rankPools.ts';
import type { QuoteRequest } from '../../engine/quote/quoteTypes.ts';
import { kinds } from '../../engine/venues/kinds.ts';
import {
  executeRoute,
  type OpenChain,
  reopenChain,
  type SandboxChain,
  type SandboxPool,
  type SandboxWallet,
} from '../../sandbox/index.ts';
import { startTestTokens, type TestTokensOnBase } from '../pretrade/checkOn.ts';
import { executed } from './executed.ts';
import { ledgerToken } from './ledgerToken.ts';
import { type CountingEndpoint, loopbackEndpoint } from './loopbackEndpoint.ts';
import { engineOver, quoteSearched, tokenOf } from './market.ts';
import { keyOf, opening, openV4 } from './openV4Pool.ts';

// Tokens whose pools have no listed key, deployer or counter-asset: quotes find them in the factories' logs.

const plain = (symbol: string) => ledgerToken(symbol, 2, taxedTokenArtifact, [[0, 0, 0]]);
const [oddKey, hooked, viaOther, other, spammed] = ['ODDKEY', 'HOOKED', 'VIAOTHER', 'OTHER', 'SPAMMED'].map(plain) as [
  ReturnType<typeof plain>,
  ReturnType<typeof plain>,
  ReturnType<typeof plain>,
  ReturnType<typeof plain>,
  ReturnType<typeof plain>,
];

let fixture: TestTokensOnBase;
let builder: OpenChain;
let chain: SandboxChain;
let trader: SandboxWallet;
beforeAll(async () => {
  fixture = await startTestTokens();
  trader = fixture.sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet;
  builder = await reopenChain(fixture.base, fixture.sandbox.wallets);
  chain = await builder.list({
    tokens: [oddKey, hooked, viaOther, other, spammed],
    pools: [
      { venue: 'uniswap-v2', pair: ['VIAOTHER', 'OTHER'], usd: 200_000 },
      { venue: 'uniswap-v3', pair: ['OTHER', 'WETH'], usd: 500_000, tier: 3000 },
    ],
  });
  const custom = fixture.testTokens.tokens.find(({ symbol }) => symbol === 'ALGCUSTOM');
  if (!custom) throw new TypeError('ALGCUSTOM is not a test token.');
  const { address, decimals = 18 } = custom as { address: Address; decimals?: number };
  const pools = custom.pools.map(({ pool }) => ({
    chain: chain.name,
    venue: 'quickswap-v4',
    pool,
    token0: address,
    token1: chain.usdc,
  })) as unknown as SandboxPool[];
  const token = { chain: chain.name, symbol: 'ALGCUSTOM', address, decimals, about: '' };
  chain = { ...chain, tokens: [...chain.tokens, token], pools: [...chain.pools, ...pools] };
  chain = {
    ...chain,
    pools: [...chain.pools, await openV4(builder, oddKey.address, keyOf(chain, oddKey.address, 2500, 50), 2_000_000)],
  };
  const hook = '0x0000000000000000000000000000000000004080';
  await openV4(builder, hooked.address, keyOf(chain, hooked.address, 2500, 50, hook), 2_000_000);
  // Buys ALGCUSTOM for the trader, which holds none yet.
  const { route, amountIn } = await quoteOf(newEngine(), 'USDC', 'ALGCUSTOM', '3000');
  await executeRoute(chain, { legs: route.legs, amountIn, wallet: trader });
});
afterAll(() => fixture?.sandbox.close());

const newEngine = (over: RpcEndpoint = loopbackEndpoint(chain.rpcUrl)) => engineOver(chain, over);
function requestOf(tokenIn: string, tokenOut: string, size: string): QuoteRequest {
  const [sold, bought] = [tokenOf(chain, tokenIn), tokenOf(chain, tokenOut)];
  return { chain: 'base', tokenIn: sold.address, tokenOut: bought.address, size: { tokenIn: size } };
}
const quoteOf = (engine: Engine, ...args: Parameters<typeof requestOf>): Promise<QuoteAnswer> =>
  engine.quote(requestOf(...args));
const factsOf = ({ flags }: QuoteAnswer, flagCode: string) => flags.find(({ code }) => code === flagCode)?.facts;

async function expectPaid(answer: QuoteAnswer): Promise<void> {
  expect(answer.amountOut).toBeGreaterThan(0n);
  const paid = await executed(chain, answer.route.legs, answer.amountIn, trader);
  expect(paid?.received).toBe(answer.amountOut);
}

describe('pays to the wei', () => {
  test.each([
    ['ODDKEY', 'USDC', '1000', 1],
    ['USDC', 'ODDKEY', '1000', 1],
    ['ODDKEY', 'WETH', '1000', 2],
    ['ALGCUSTOM', 'USDC', '1', 2],
    ['USDC', 'ALGCUSTOM', '10', 2],
    ['VIAOTHER', 'WETH', '1000', 2],
    ['WETH', 'VIAOTHER', '1', 2],
    ['VIAOTHER', 'USDC', '10', 3],
    ['USDC', 'VIAOTHER', '10', 3],
    ['VIAOTHER', 'OTHER', '1000', 1],
    ['VIAOTHER', 'ODDKEY', '1000', undefined],
  ] as const)('%s to %s', async (tokenIn, tokenOut, size, legs) => {
    const engine = newEngine();
    for (const _ of ['new', 'known']) {
      const answer = await quoteOf(engine, tokenIn, tokenOut, size);
      if (legs === undefined) return expect(factsOf(answer, 'NO_ROUTE')).toMatchObject({ poolsMayBeMissing: false });
      expect(answer.route.legs).toHaveLength(legs);
      expect(answer.spotPrice).not.toBeNull();
      await expectPaid(answer);
    }
  });

  test('with flags for the key of a v4 pool and for a pool of a custom deployer', async () => {
    const odd = await quoteOf(newEngine(), 'ODDKEY', 'USDC', '10');
    expect(odd.route.legs[0]?.poolKey).toEqual(keyOf(chain, oddKey.address, 2500, 50));
    expect(factsOf(odd, 'V4_POOL_KEY')).toMatchObject({ fee: 2500, tickSpacing: 50 });
    const custom = await quoteOf(newEngine(), 'ALGCUSTOM', 'USDC', '1');
    expect(factsOf(custom, 'CUSTOM_POOL')).toEqual({ pool: custom.route.pools[0] });
    const usual = await quoteOf(newEngine(), 'PALM', 'USDC', '1');
    expect(usual.route.legs.map(({ dex }) => dex)).toContain('algebra');
    expect(factsOf(usual, 'CUSTOM_POOL')).toBeUndefined();
  });

  test('a sale with a size in USD', async () => {
    const size = { usd: '3000' };
    const answer = await newEngine().quote({ chain: 'base', tokenIn: oddKey.address, tokenOut: chain.usdc, size });
    expect(Number(answer.amountIn) / 1e18).toBeCloseTo(1500, 3);
    await expectPaid(answer);
  });
});

test('a pool with an unlisted hook on swaps is not used, and NO_ROUTE reports it', async () => {
  const answer = await quoteOf(newEngine(), 'HOOKED', 'USDC', '10');
  expect(factsOf(answer, 'NO_ROUTE')).toMatchObject({ notCovered: ['uniswap-v4 pools with an unlisted hook'] });
});

test('logs take one more request, once for each token; a known market takes one request', async () => {
  const endpoint = loopbackEndpoint(chain.rpcUrl);
  const engine = newEngine(endpoint);
  await engine.start();
  const costOf = async (tokenIn: string, tokenOut: string) => {
    const before = endpoint.requests;
    await quoteOf(engine, tokenIn, tokenOut, '10');
    return endpoint.requests - before;
  };
  // States and logs, states with the found pools, funding, execution.
  expect(await costOf('ODDKEY', 'USDC')).toBe(5);
  expect(await costOf('ODDKEY', 'USDC')).toBe(1);
  // The first read includes the found pools. Selling USDC for the first time takes two more requests.
  expect(await costOf('USDC', 'ODDKEY')).toBe(3);
  expect(await costOf('USDC', 'ODDKEY')).toBe(1);
});

/** An endpoint whose requests for logs return the promise of `fail`. */
function withLogs(fail: () => Promise<never>): RpcEndpoint & { inner: CountingEndpoint } {
  const inner = loopbackEndpoint(chain.rpcUrl);
  return {
    label: 'without logs',
    inner,
    send: (calls, options) =>
      calls.some(({ method }) => method === 'eth_getLogs') ? fail() : inner.send(calls, options),
  };
}

describe.each([
  ['fails', () => Promise.reject(new Error('refused'))],
  ['never ends', () => new Promise<never>(() => undefined)],
])('a read of logs that %s', (_how, fail) => {
  test('gives NO_ROUTE low confidence', async () => {
    const engine = newEngine(withLogs(fail));
    for (const _ of ['new', 'known']) {
      const answer = await quoteOf(engine, 'ODDKEY', 'USDC', '10');
      expect(answer.confidence).toBe('low');
      expect(factsOf(answer, 'NO_ROUTE')).toMatchObject({ poolsMayBeMissing: true });
    }
  });

  test('lowers the confidence of a market with listed pools, and names venues that may hold the token', async () => {
    const [expected, actual] = [
      await quoteOf(newEngine(), 'OAK', 'USDC', '10'),
      await quoteOf(newEngine(withLogs(fail)), 'OAK', 'USDC', '10'),
    ];
    expect(factsOf(actual, 'NOT_COVERED')).toMatchObject({ pools: [], unread: expect.arrayContaining(['fluid']) });
    const others = actual.flags.filter(({ code }) => !['CONFIDENCE', 'NOT_COVERED'].includes(code));
    expect([actual.amountOut, others]).toEqual([expected.amountOut, expected.flags]);
    expect(factsOf(actual, 'CONFIDENCE')).toEqual({
      rule: "the factories' logs could not be read, so pools may be missing",
    });
    expect([expected.confidence, actual.confidence]).toEqual(['high', 'medium']);
  });
});

test('two hundred dust pools hide no pool, and at most `maxUnlistedPools` are read', async () => {
  const pool = await openV4(builder, spammed.address, keyOf(chain, spammed.address, 2500, 50), 500_000);
  chain = { ...chain, pools: [...chain.pools, pool] };
  const dust = Array.from({ length: 200 }, (_, at) => keyOf(chain, spammed.address, 100 + at, 1 + (at % 60)));
  for (let at = 0; at < dust.length; at += 20) {
    const part = dust.slice(at, at + 20);
    await builder.perform(part.flatMap((key, index) => opening(key, spammed.address, index % 2 === 0 ? 1 : 2)));
  }
  const inner = loopbackEndpoint(chain.rpcUrl);
  let most = 0;
  const endpoint: RpcEndpoint = {
    label: 'counts known pools',
    send(calls, options) {
      for (const { params } of calls) {
        const [call] = params as [{ data?: `0x${string}` } | undefined];
        if (call?.data?.startsWith(stateSelector)) {
          const { args } = decodeFunctionData({ abi: stateLensArtifact.abi, data: call.data });
          // The unlisted pools of the token sold are v4 pools. The others are pools of cached pairs.
          const isSold = (packed: bigint) => [216n, 224n].some((bit) => ((packed >> bit) & 0xffn) === 0n);
          const own = args[3].filter(({ packed }) => isSold(packed) && Number((packed >> 160n) & 0xffn) >= kinds.v4);
          most = Math.max(most, own.length);
        }
      }
      return inner.send(calls, options);
    },
  };
  const engine = newEngine(endpoint);
  for (const _ of ['new', 'known']) {
    const answer = await quoteSearched(engine, requestOf('SPAMMED', 'USDC', '1000'));
    expect(answer.route.pools).toContain(pool.pool);
    await expectPaid(answer);
  }
  // One more has a listed key: the look-up of its pair is cached, so the second read contains it.
  expect(most).toBe(maxUnlistedPools + 1);
  await quoteOf(engine, 'SPAMMED', 'USDC', '1000');
  const before = inner.requests;
  await quoteOf(engine, 'SPAMMED', 'USDC', '1000');
  expect(inner.requests - before).toBe(1);
});
