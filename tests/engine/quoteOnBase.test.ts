import { expect, test } from 'vitest';
import { byChain } from '../../engine/index.ts';
import { executeRoute } from '../../sandbox/index.ts';
import { codesOf, factsOf } from '../support/quoteAnswers.ts';
import { useBase } from '../support/useBase.ts';
import { byShares } from './executed.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { withChainRestored } from './market.ts';

const base = useBase();
const { queryOf, engineWith } = base;

test('takes three requests for the first sale of a token, plus one for the logs of each new token; one for a known market', async () => {
  const endpoint = loopbackEndpoint(base.chain.rpcUrl);
  const engine = engineWith([endpoint]);
  await engine.start();
  for (const requests of [3, 1]) {
    for (const [query, newTokens] of [
      [queryOf('WETH', 'USDC', '2.5'), 0],
      [queryOf('MOSS', 'USDC', '10'), 1],
      [queryOf('OAK', 'ELM', '10'), 2],
    ] as const) {
      const before = endpoint.requests;
      const answer = await engine.quote(query);
      // Without a route, one more request reads which uncovered venues hold the token.
      const further = codesOf(answer).includes('NO_ROUTE') ? 1 : 0;
      // The factories' logs take one request for each token that is not a routing asset.
      const logs = requests > 1 ? newTokens : 0;
      expect(endpoint.requests - before).toBe(requests + further + logs);
    }
  }
});

test('behavior: returns the cached answer until validUntil for every spelling of a query', async () => {
  const endpoint = loopbackEndpoint(base.chain.rpcUrl);
  let now = 1_000_000;
  const engine = engineWith([endpoint], { now: () => now, freshnessMs: byChain(() => 4_000) });
  const query = queryOf('WETH', 'USDC', '1.50');
  const lower = { ...query, tokenIn: query.tokenIn.toLowerCase() as `0x${string}`, size: { tokenIn: '1.5' } };
  const answers = await Promise.all([query, lower, query, lower].map((each) => engine.quote(each)));
  expect(new Set(answers).size).toBe(1);
  const first = endpoint.requests;
  expect(answers[0]).toMatchObject({ ts: 1_000_000, validUntil: 1_004_000 });

  now = 1_003_999;
  expect(await engine.quote(lower)).toBe(answers[0]);
  now = 1_004_000;
  expect(await engine.quote(lower)).not.toBe(answers[0]);
  expect(endpoint.requests).toBe(first + 1);
});

test('behavior: NO_ROUTE if the only pool can take only a part of the size', async () => {
  const engine = engineWith([loopbackEndpoint(base.chain.rpcUrl)]);
  const small = await engine.quote(queryOf('REED', 'USDC', '100'));
  expect(small.amountOut).toBeGreaterThan(0n);
  const big = await engine.quote(queryOf('REED', 'USDC', '10000000'));
  expect(big).toMatchObject({ amountOut: 0n, executablePrice: 0, spotPrice: null, priceImpactBps: null });
  expect(big.route).toEqual({ dex: 'none', path: [], pools: [], legs: [] });
  expect(codesOf(big)).toContain('NO_ROUTE');
});

test('behavior: a pool without liquidity at its price has no mid, and fills in one direction only', async () => {
  const engine = engineWith([loopbackEndpoint(base.chain.rpcUrl)]);
  const buy = await engine.quote(queryOf('USDC', 'DUST', '100'));
  expect(buy.amountOut).toBeGreaterThan(0n);
  expect(buy).toMatchObject({ spotPrice: null, priceImpactBps: null, worstCaseSlippageBps: null, confidence: 'low' });
  expect(codesOf(buy)).toContain('NO_MID');
  const paid = await withChainRestored(base.chain, () =>
    executeRoute(base.chain, { legs: buy.route.legs, amountIn: buy.amountIn, wallet: base.trader }),
  );
  expect(paid.received).toBe(buy.amountOut);
  expect((await engine.quote(queryOf('DUST', 'USDC', '100'))).route.legs).toEqual([]);
});

test('behavior: an address that is not a token gets NOT_A_TOKEN and no route', async () => {
  const engine = engineWith([loopbackEndpoint(base.chain.rpcUrl)]);
  for (const symbol of ['NODEC', 'NOCODE']) {
    const answer = await engine.quote(queryOf(symbol, 'USDC', '1'));
    expect(answer).toMatchObject({ amountIn: 0n, amountOut: 0n, decimals: { in: 0, out: 6 } });
    expect(answer.flags).toContainEqual(expect.objectContaining({ code: 'NOT_A_TOKEN', severity: 'critical' }));
    expect(factsOf(answer, 'NOT_A_TOKEN')).toEqual({ which: 'tokenIn' });
    const sold = await engine.quote(queryOf('USDC', symbol, '1'));
    expect(sold).toMatchObject({ amountIn: 0n, amountOut: 0n, decimals: { in: 6, out: 0 } });
    expect(factsOf(sold, 'NOT_A_TOKEN')).toEqual({ which: 'tokenOut' });
  }
});

test('behavior: a size with too many decimals is rounded down, and has no route if it rounds to zero', async () => {
  const engine = engineWith([loopbackEndpoint(base.chain.rpcUrl)]);
  const truncated = await engine.quote(queryOf('USDC', 'WETH', '1.23456789'));
  expect(truncated.amountIn).toBe(1_234_567n);
  expect(codesOf(truncated)).toContain('SIZE_TRUNCATED');
  const tooSmall = await engine.quote(queryOf('USDC', 'WETH', '0.0000001'));
  expect(tooSmall.amountIn).toBe(0n);
  expect(codesOf(tooSmall)).toEqual(expect.arrayContaining(['NO_ROUTE', 'SIZE_TRUNCATED']));
});

test('behavior: reports a size above 2^112 base units in full, with NO_ROUTE or a route without v2 and v4 pools', async () => {
  const engine = engineWith([loopbackEndpoint(base.chain.rpcUrl)]);
  for (const size of ['9'.repeat(78), '9'.repeat(60), `1${'0'.repeat(30)}`]) {
    const answer = await engine.quote(queryOf('WETH', 'USDC', size));
    expect(answer.amountIn).toBe(BigInt(size) * 10n ** 18n);
    if (answer.route.legs.length === 0) expect(codesOf(answer)).toContain('NO_ROUTE');
    else {
      const { legs } = answer.route;
      expect(legs.every(({ dex }) => dex !== 'uniswap-v2' && dex !== 'uniswap-v4')).toBe(true);
    }
  }
});

test('behavior: worstCaseSlippageBps is the slippage of the second of two identical orders', async () => {
  const engine = engineWith([loopbackEndpoint(base.chain.rpcUrl)]);
  const quote = await engine.quote(queryOf('WETH', 'USDC', '200'));
  const second = await withChainRestored(base.chain, async () => {
    await executeRoute(base.chain, { legs: quote.route.legs, amountIn: quote.amountIn, wallet: base.trader });
    return executeRoute(base.chain, {
      legs: byShares(quote.route.legs),
      amountIn: quote.amountIn,
      wallet: base.trader,
    });
  });
  const price = Number(second.received) / 1e6 / 200;
  const worst = (1 - price / (quote.spotPrice ?? Number.NaN)) * 10_000;
  expect(quote.worstCaseSlippageBps).toBeCloseTo(worst, 1);
});

test('behavior: depthAtSize fills within 1 % of the quote, and 5 % more does not', async () => {
  const engine = engineWith([loopbackEndpoint(base.chain.rpcUrl)]);
  for (const [tokenIn, size] of [
    ['WETH', '10'],
    ['OAK', '50'],
    ['MOSS', '1'],
    ['IVY', '10'],
  ] as const) {
    const quote = await engine.quote(queryOf(tokenIn, 'USDC', size));
    const within = await engine.quote(queryOf(tokenIn, 'USDC', quote.depthAtSize.toFixed(6)));
    expect(within.executablePrice).toBeGreaterThanOrEqual(quote.executablePrice * 0.9899);
    // WETH has pools with hooks. They take a part of the larger order, but are not part of the depth.
    if (tokenIn === 'WETH') continue;
    const beyond = await engine.quote(queryOf(tokenIn, 'USDC', (quote.depthAtSize * 1.05).toFixed(6)));
    expect(beyond.executablePrice).toBeLessThan(quote.executablePrice * 0.99);
  }
});

test('behavior: a split pays amountOut, and SPLIT_ROUTE contains the best single route', async () => {
  const engine = engineWith([loopbackEndpoint(base.chain.rpcUrl)]);
  const quote = await engine.quote(queryOf('WETH', 'USDC', '2000'));
  const facts = factsOf(quote, 'SPLIT_ROUTE') as { gainBps: number; single: { amountOut: string } };
  expect(facts.gainBps).toBeGreaterThan(100);
  expect(quote.route.legs.length).toBeGreaterThan(1);
  expect(BigInt(facts.single.amountOut)).toBeLessThan(quote.amountOut);
  const { amountIn, route } = quote;
  const paid = await withChainRestored(base.chain, async () =>
    executeRoute(base.chain, { legs: route.legs, amountIn, wallet: base.trader }),
  );
  expect(paid.received).toBe(quote.amountOut);
});

test('behavior: V4_POOL_KEY contains the key of a v4 pool, and HOOKED_POOL flags a hook', async () => {
  const engine = engineWith([loopbackEndpoint(base.chain.rpcUrl)]);
  const native = await engine.quote(queryOf('ASH', 'WETH', '10'));
  expect(native.route.legs[0]).toMatchObject({ dex: 'uniswap-v4', venue: 'uniswap-v4' });
  const pool = base.chain.pools.find((each) => each.pool === native.route.legs[0]?.pool);
  expect(factsOf(native, 'V4_POOL_KEY')).toEqual({ poolId: pool?.pool, ...pool?.key });
  expect(codesOf(native)).not.toContain('HOOKED_POOL');
  expect(codesOf(await engine.quote(queryOf('LARCH', 'USDC', '10')))).toContain('HOOKED_POOL');
});

test('behavior: sizeUSD is 1:1 for a stable, by feed for WETH, by the deepest pool for others', async () => {
  const endpoint = loopbackEndpoint(base.chain.rpcUrl);
  const engine = engineWith([endpoint]);
  await engine.start();
  const requests: number[] = [];
  const byUsd = async (tokenIn: string, tokenOut: string) => {
    const before = endpoint.requests;
    const answer = await engine.quote({ ...queryOf(tokenIn, tokenOut, '1'), size: { usd: '3000' } });
    requests.push(endpoint.requests - before);
    return answer;
  };
  const stable = await byUsd('USDC', 'WETH');
  expect(stable.amountIn).toBe(3_000_000_000n);
  expect(factsOf(stable, 'USD_PRICE_SOURCE')).toEqual({ source: 'stable', symbol: 'USDC' });
  const fed = await byUsd('WETH', 'USDC');
  expect(factsOf(fed, 'USD_PRICE_SOURCE')).toMatchObject({ source: 'feed' });
  expect(Number(fed.amountOut)).toBeGreaterThan(2_950e6);
  const pooled = await byUsd('OAK', 'USDC');
  expect(factsOf(pooled, 'USD_PRICE_SOURCE')).toMatchObject({ source: 'pool', against: 'USDC' });
  expect(Number(pooled.amountIn) / 1e18).toBeCloseTo(1500, 0);
  // Each count includes one request that finds the token's balance slot. OAK takes one more for logs.
  expect(requests).toEqual([3, 3, 4]);
});
