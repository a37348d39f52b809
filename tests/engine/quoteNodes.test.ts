import { expect, test } from 'vitest';
import {
  byChain,
  ChainUnavailableError,
  createEngine,
  DeadlineExceededError,
  type RpcEndpoint,
  RpcTransportError,
  WrongChainError,
} from '../../engine/index.ts';
import { codesOf, factsOf } from '../support/quoteAnswers.ts';
import { useBase } from '../support/useBase.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { withChainRestored } from './market.ts';
import { setFeed } from './setFeed.ts';

const base = useBase();
const { queryOf, engineWith } = base;

test('behavior: QUOTERS_ONLY and low confidence if the node ignores state overrides', async () => {
  const node = loopbackEndpoint(base.chain.rpcUrl, 'plain');
  const plain: RpcEndpoint = {
    label: 'plain',
    send: (calls, options) =>
      node.send(
        calls.map(({ method, params }) => ({ method, params: params.slice(0, 2) })),
        options,
      ),
  };
  const engine = engineWith([plain]);
  await engine.start();
  const answer = await engine.quote(queryOf('WETH', 'USDC', '7'));
  expect(codesOf(answer)).toContain('QUOTERS_ONLY');
  expect(answer.confidence).toBe('low');
  expect(answer.amountOut).toBeGreaterThan(0n);
});

const deadNode: RpcEndpoint = {
  label: 'dead',
  send: () => Promise.reject(new RpcTransportError('connection refused')),
};

test('behavior: uses the next endpoint if the first fails', async () => {
  const engine = engineWith([deadNode, loopbackEndpoint(base.chain.rpcUrl)]);
  await engine.start();
  expect((await engine.quote(queryOf('WETH', 'USDC', '1'))).amountOut).toBeGreaterThan(0n);
  expect(engine.chainState('base')).toMatchObject({ status: 'degraded' });
});

test('error: ChainUnavailableError if the node failed, even if it works again before retryAfterSeconds', async () => {
  let now = 0;
  let isUp = false;
  const live = loopbackEndpoint(base.chain.rpcUrl);
  const flaky: RpcEndpoint = { label: 'flaky', send: (...args) => (isUp ? live : deadNode).send(...args) };
  const engine = engineWith([flaky], { now: () => now });
  await engine.start();
  await expect(engine.quote(queryOf('WETH', 'USDC', '1'))).rejects.toThrow(ChainUnavailableError);
  expect(engine.chainState('base')).toEqual({ status: 'down', retryAfterSeconds: 2 });
  isUp = true;
  await expect(engine.quote(queryOf('WETH', 'USDC', '1'))).rejects.toThrow(ChainUnavailableError);
  now = 2_000;
  expect((await engine.quote(queryOf('WETH', 'USDC', '1'))).amountOut).toBeGreaterThan(0n);
  expect(engine.chainState('base')).toMatchObject({ status: 'ok' });
});

test('error: DeadlineExceededError when the node hangs', async () => {
  const hanging: RpcEndpoint = {
    label: 'hanging',
    send: (_calls, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new RpcTransportError('time-out')));
      }),
  };
  const engine = engineWith([hanging], { deadlineMs: 50 });
  await expect(engine.quote(queryOf('WETH', 'USDC', '1'))).rejects.toThrow(DeadlineExceededError);
});

test('error: WrongChainError when an endpoint serves another chain', async () => {
  const engine = createEngine({
    rpc: { polygon: [loopbackEndpoint(base.chain.rpcUrl)] },
    now: Date.now,
    freshnessMs: byChain(() => 0),
    deadlineMs: 5_000,
  });
  await expect(engine.start()).rejects.toThrow(WrongChainError);
});

const ethUsd = '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70';
const sequencer = '0xBCF85224fc0756B9Fa45aA7892530B47e10b6433';

const secondsAgo = (seconds: number) => BigInt(Math.floor(Date.now() / 1000) - seconds);

test.each([
  ['a feed older than its heartbeat', ethUsd, [3_333_00000000n, 1n, 1_700_000_000n], 'up'],
  ['a feed while the sequencer is down', sequencer, [1n, 1_600_000_000n, 0n], 'down'],
  ['a feed just after the sequencer came back', sequencer, [0n, secondsAgo(0), 0n], 'down'],
  ['a feed 50 minutes after the sequencer came back', sequencer, [0n, secondsAgo(3_000), 0n], 'down'],
] as const)('%s is not used, and STALE_ORACLE reports it', async (_case, feed, values, state) => {
  const engine = engineWith([loopbackEndpoint(base.chain.rpcUrl)]);
  const answer = await withChainRestored(base.chain, async () => {
    await setFeed(base.chain, base.trader.address, feed, values);
    return engine.quote({ ...queryOf('WETH', 'USDC', '1'), size: { usd: '3000' } });
  });
  expect(factsOf(answer, 'STALE_ORACLE')).toMatchObject({ sequencer: state });
  expect(factsOf(answer, 'USD_PRICE_SOURCE')).toMatchObject({ source: 'pool', against: 'USDC' });
  expect(Number(answer.amountIn) / 1e18).toBeCloseTo(1, 2);
});

const quoteWithFeed = (values: readonly [bigint, bigint, bigint]) =>
  withChainRestored(base.chain, async () => {
    await setFeed(base.chain, base.trader.address, ethUsd, values);
    return engineWith([loopbackEndpoint(base.chain.rpcUrl)]).quote({
      ...queryOf('WETH', 'USDC', '1'),
      size: { usd: '3000' },
    });
  });

test('a feed over 3 % from the pools is disputed, and over 10 % lowers the confidence', async () => {
  const agreeing = await quoteWithFeed([3_080_00000000n, 0n, 0n]);
  expect(agreeing.flags.map(({ code }) => code)).not.toContain('USD_PRICE_DISPUTED');
  expect(agreeing.confidence).toBe('high');
  const disputed = await quoteWithFeed([3_200_00000000n, 0n, 0n]);
  expect(factsOf(disputed, 'USD_PRICE_DISPUTED')).toMatchObject({ source: 'feed', usdPerToken: 3_200 });
  const poolPrice = Number(factsOf(disputed, 'USD_PRICE_DISPUTED')?.poolUsdPerToken);
  const quoteAt = async (ratio: number) => {
    const answer = await quoteWithFeed([BigInt(Math.round(poolPrice * ratio * 1e8)), 0n, 0n]);
    return [codesOf(answer).includes('USD_PRICE_DISPUTED'), answer.confidence];
  };
  expect(await quoteAt(1.0299)).toEqual([false, 'high']);
  expect(await quoteAt(1.0301)).toEqual([true, 'high']);
  expect(await quoteAt(0.9701)).toEqual([false, 'high']);
  expect(await quoteAt(0.9699)).toEqual([true, 'high']);
  expect(await quoteAt(1.0999)).toEqual([true, 'high']);
  expect(await quoteAt(1.1001)).toEqual([true, 'low']);
  const wrong = await quoteWithFeed([30_000_00000000n, 0n, 0n]);
  expect(factsOf(wrong, 'USD_PRICE_DISPUTED')).toMatchObject({ usdPerToken: 30_000 });
  expect(wrong.confidence).toBe('low');
  expect(factsOf(wrong, 'CONFIDENCE')).toEqual({
    rule: 'the USD price of tokenIn differs from that of its deepest pool by over 10 %',
  });
});

test('a round in the future is not used, and is disputed', async () => {
  const answer = await quoteWithFeed([3_000_00000000n, 0n, secondsAgo(-100_000)]);
  expect(factsOf(answer, 'USD_PRICE_DISPUTED')).toMatchObject({ source: 'feed', usdPerToken: 3_000 });
  expect(factsOf(answer, 'STALE_ORACLE')).toBeDefined();
  expect(factsOf(answer, 'USD_PRICE_SOURCE')).toMatchObject({ source: 'pool' });
});
