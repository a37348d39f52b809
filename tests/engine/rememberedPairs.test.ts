import { decodeFunctionData, type Hex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stateLensArtifact } from '../../contracts/artifacts/lens/StateLens.ts';
import type { Engine, QuoteAnswer, RpcEndpoint } from '../../engine/index.ts';
import { stateSelector } from '../../engine/pools/encodeStateCall.ts';
import { reopenChain, type Sandbox, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { isFullSize } from '../support/proofSize.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { engineOver, tokenOf, withChainRestored } from './market.ts';

/** Data that one quote caches for others: look-ups of pairs, and the plans of the last order. */

let sandbox: Sandbox;
let chain: SandboxChain;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  chain = sandbox.chains.base as SandboxChain;
});
afterAll(() => sandbox?.close());

/** An engine, the number of pairs of each look-up, its requests that read states, and an adjustable clock. */
function observed() {
  const inner = loopbackEndpoint(chain.rpcUrl);
  const sent = { pairs: [] as number[], requests: 0 };
  const clock = { ahead: 0 };
  const endpoint: RpcEndpoint = {
    label: inner.label,
    send(calls, options) {
      if (calls.some(({ method }) => method === 'eth_call')) sent.requests += 1;
      for (const { params } of calls) {
        const data = (params[0] as { data?: Hex } | undefined)?.data;
        if (!data?.startsWith(stateSelector)) continue;
        sent.pairs.push(decodeFunctionData({ abi: stateLensArtifact.abi, data }).args[2].length);
      }
      return inner.send(calls, options);
    },
  };
  return { engine: engineOver(chain, endpoint, [], { now: () => Date.now() + clock.ahead }), sent, clock };
}

const quoteOf = (engine: Engine, from: string, to: string, amount: string) =>
  engine.quote({
    chain: 'base',
    tokenIn: tokenOf(chain, from).address,
    tokenOut: tokenOf(chain, to).address,
    size: { tokenIn: amount },
  });

/** The answer without fields that depend on the time or on warm storage. */
function withoutTimeFields({ ts: _ts, validUntil: _until, flags, ...answer }: QuoteAnswer) {
  return { ...answer, flags: flags.filter(({ code }) => code !== 'ROUTE_GAS') };
}

const mine = () =>
  loopbackEndpoint(chain.rpcUrl).send([{ method: 'evm_mine', params: [] }], { signal: AbortSignal.timeout(5_000) });

test('a new market of cached pairs looks up none and equals the answer of a new engine', async () => {
  const { engine, sent } = observed();
  await quoteOf(engine, 'WETH', 'cbBTC', '1');
  expect(sent.pairs.splice(0)[0]).toBeGreaterThan(30);
  const answer = await quoteOf(engine, 'WETH', 'USDC', '1');
  expect(new Set(sent.pairs)).toEqual(new Set([0]));
  expect(withoutTimeFields(answer)).toEqual(withoutTimeFields(await quoteOf(observed().engine, 'WETH', 'USDC', '1')));
});

test.each([
  ['OAK', 'USDC', '500'],
  ['WETH', 'OAK', '0.2'],
  ['USDC', 'ELM', '800'],
  ['ELM', 'OAK', '40'],
])('a new market of %s and %s looks up only pairs of the new tokens', async (from, to, amount) => {
  const { engine, sent } = observed();
  await quoteOf(engine, 'WETH', 'USDC', '1');
  const all = sent.pairs.splice(0)[0] ?? 0;
  const answer = await quoteOf(engine, from, to, amount);
  expect(sent.pairs[0]).toBeGreaterThan(0);
  expect(sent.pairs[0]).toBeLessThan(all / 2);
  expect(answer.amountOut).toBeGreaterThan(0n);
  expect(withoutTimeFields(answer)).toEqual(withoutTimeFields(await quoteOf(observed().engine, from, to, amount)));
});

test('finds a new pool of a cached pair after a minute', async () => {
  await withChainRestored(chain, async () => {
    const { engine, sent, clock } = observed();
    await quoteOf(engine, 'WETH', 'cbBTC', '1');
    const builder = await reopenChain(chain, sandbox.wallets);
    const pool = {
      venue: 'sushiswap-v3',
      pair: ['WETH', 'USDC'],
      tier: 100,
      spacing: 1,
      usd: 50_000_000,
      skewBps: 100,
    };
    await builder.list({ tokens: [], pools: [pool as never] });
    const before = await quoteOf(engine, 'WETH', 'USDC', '1');
    clock.ahead += 61_000;
    sent.pairs.length = 0;
    const after = await quoteOf(engine, 'WETH', 'USDC', '1');
    expect(sent.pairs[0]).toBeGreaterThan(30);
    expect(after.amountOut).toBeGreaterThan(before.amountOut);
  });
});

test('looks up all pairs again if there is no route', async () => {
  const { engine, sent } = observed();
  await quoteOf(engine, 'WETH', 'cbBTC', '1');
  const [all] = sent.pairs.splice(0);
  // One wei buys less than one base unit of USDC.
  const answer = await quoteOf(engine, 'WETH', 'USDC', '0.000000000000000001');
  expect(answer.flags.map(({ code }) => code)).toContain('NO_ROUTE');
  expect(sent.pairs).toEqual(expect.arrayContaining([0, all]));
});

test('at least 90 % of orders of similar sizes take one request, and all equal the answers of a new engine', async () => {
  const { engine, sent } = observed();
  await quoteOf(engine, 'WETH', 'USDC', '1');
  let requests = 0;
  let orders = 0;
  for (let amount = 1.01; amount < (isFullSize ? 8 : 1.5); amount *= 1.01) {
    await mine();
    sent.requests = 0;
    orders += 1;
    const size = amount.toFixed(6);
    const answer = await quoteOf(engine, 'WETH', 'USDC', size);
    requests += sent.requests;
    const fresh = await quoteOf(observed().engine, 'WETH', 'USDC', size);
    expect([answer.amountOut, answer.route, answer.depthAtSize]).toEqual([
      fresh.amountOut,
      fresh.route,
      fresh.depthAtSize,
    ]);
  }
  expect(requests).toBeLessThanOrEqual(orders * 1.1);
}, 120_000);
