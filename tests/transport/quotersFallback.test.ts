import type { Address } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type QuoteAnswer, type QuoteRequest, toLowerAddress } from '../../engine/index.ts';
import {
  executeRoute,
  type ProxiedCall,
  type RpcFault,
  type Sandbox,
  type SandboxChain,
  type SandboxChainName,
  type SandboxWallet,
  startSandbox,
} from '../../sandbox/index.ts';
import { poolsOfPair, tradedTokens, withChainRestored } from '../engine/market.ts';
import { shareOf } from '../support/proofSize.ts';
import { codesOf } from '../support/quoteAnswers.ts';
import { openTwoNodes, type TwoNodes } from './twoNodes.ts';

const isOverride = ({ method, params }: ProxiedCall) => method === 'eth_call' && params.length > 2;

/** A node that rejects these calls like one without the feature. */
function without(...features: ((call: ProxiedCall) => boolean)[]): (calls: ProxiedCall[]) => RpcFault | undefined {
  return (calls) => ({
    kind: 'rewrite',
    reply: (text) => {
      const change = (reply: { id: unknown }) => {
        const call = calls.find(({ id }) => id === reply.id);
        return call && features.some((has) => has(call))
          ? { jsonrpc: '2.0', id: reply.id, error: { code: -32602, message: 'too many arguments, want at most 2' } }
          : reply;
      };
      const parsed = JSON.parse(text) as { id: unknown } | { id: unknown }[];
      return JSON.stringify(Array.isArray(parsed) ? parsed.map(change) : change(parsed));
    },
  });
}

/** Two nodes of one chain, each behind a proxy. Faults end with each test. */
function useTwoNodes(name: SandboxChainName) {
  let sandbox: Sandbox;
  let nodes: TwoNodes;
  beforeAll(async () => {
    sandbox = await startSandbox({ chains: [name] });
    nodes = await openTwoNodes(sandbox.chains[name] as SandboxChain);
  });
  afterEach(() => nodes.clearFaults());
  afterAll(async () => {
    await nodes?.close();
    await sandbox?.close();
  });
  return () => ({
    nodes,
    chain: sandbox.chains[name] as SandboxChain,
    trader: sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet,
  });
}

const query = ({ name }: SandboxChain, tokenIn: Address, tokenOut: Address, size: string): QuoteRequest => ({
  chain: name,
  tokenIn: toLowerAddress(tokenIn),
  tokenOut: toLowerAddress(tokenOut),
  size: { tokenIn: size },
});

/** One query for each pair that has a pool, in whole tokens. */
function pairsOf(chain: SandboxChain): QuoteRequest[] {
  const seen = new Map(
    chain.pools.map((pool) => [
      tradedTokens(chain, pool)
        .map((t) => t.toLowerCase())
        .sort()
        .join(),
      pool,
    ]),
  );
  return [...seen.values()].map((pool) => {
    const [a, b] = tradedTokens(chain, pool);
    return query(chain, a, b, '0.5');
  });
}

/** Checks flags, confidence and nulls of an answer that published quoters gave. */
function expectMarked(answer: QuoteAnswer): void {
  const known = codesOf(answer).includes('NOT_A_TOKEN');
  expect(codesOf(answer)).toEqual(expect.arrayContaining(known ? ['QUOTERS_ONLY'] : ['QUOTERS_ONLY', 'VENUE_UNREAD']));
  if (!known) expect(answer.confidence).toBe('low');
  expect(answer.priceImpactBps === null).toBe(answer.spotPrice === null);
  expect(answer.worstCaseSlippageBps === null).toBe(answer.spotPrice === null);
}

/** Executes the quoted route through a pool of the pair, and compares its output with the quote. */
async function expectPaid(
  chain: SandboxChain,
  wallet: SandboxWallet,
  { tokenIn, tokenOut }: QuoteRequest,
  { route, amountIn, amountOut }: QuoteAnswer,
): Promise<void> {
  const paid = await withChainRestored(chain, () => executeRoute(chain, { legs: route.legs, amountIn, wallet }));
  expect(paid.received).toBe(amountOut);
  const pools = poolsOfPair(chain, tokenIn as Address, tokenOut as Address);
  expect(pools.map(({ pool }) => pool.toLowerCase())).toContain(route.pools[0]?.toLowerCase());
}

describe.each(['base', 'polygon', 'arbitrum'] as const)('%s', (name) => {
  const opened = useTwoNodes(name);

  test('quotes with published quoters at a node without the lens: exact, and flagged QUOTERS_ONLY', async () => {
    const { nodes, chain, trader } = opened();
    nodes.proxies[0].fault = without(isOverride);
    const engine = nodes.engineWith({}, 1);
    await engine.start();
    const usual = nodes.engineWith({}, 2);
    nodes.proxies[1].fault = () => undefined;
    const seen = { routed: 0, none: 0, mids: 0 };
    for (const each of pairsOf(chain)) {
      const answer = await engine.quote(each);
      expectMarked(answer);
      if (answer.route.legs.length === 0) {
        seen.none += 1;
        expect(answer.amountOut).toBe(0n);
        continue;
      }
      seen.routed += 1;
      const full = await usual.quote(each);
      expect(full.amountOut).toBeGreaterThanOrEqual(answer.amountOut);
      expect(full.blockNumber).toBe(answer.blockNumber);
      if (answer.spotPrice !== null) seen.mids += 1;
      await expectPaid(chain, trader, each, answer);
    }
    expect(seen.routed).toBeGreaterThan(2);
    expect(seen.mids).toBeGreaterThan(0);
    expect(seen.none).toBeGreaterThan(0);
  });

  test('quoters return no partial fill as a full one', async () => {
    const { nodes, chain } = opened();
    nodes.proxies[0].fault = without(isOverride);
    const engine = nodes.engineWith({}, 1);
    const usual = nodes.engineWith({}, 2);
    let refused = 0;
    for (const each of shareOf(pairsOf(chain), 2)) {
      for (const size of ['100000', '5000000']) {
        const large = { ...each, size: { tokenIn: size } };
        const [answer, full] = [await engine.quote(large), await usual.quote(large)];
        expect(full.amountOut).toBeGreaterThanOrEqual(answer.amountOut);
        if (answer.amountOut === 0n && (await engine.quote(each)).amountOut > 0n) refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(0);
  });

  test('quoters convert a USD size 1:1 for a stablecoin and by feed for the native token', async () => {
    const { nodes, chain } = opened();
    nodes.proxies[0].fault = without(isOverride);
    const engine = nodes.engineWith({}, 1);
    const usual = nodes.engineWith({}, 2);
    for (const [tokenIn, tokenOut] of [
      [chain.usdc, chain.wrappedNative],
      [chain.wrappedNative, chain.usdc],
    ] as const) {
      const each = { chain: chain.name, tokenIn, tokenOut, size: { usd: '1234.5' } };
      expect((await engine.quote(each)).amountIn).toBe((await usual.quote(each)).amountIn);
    }
  });

  test('prefers a node with the lens, regardless of the configured order', async () => {
    const { nodes, chain } = opened();
    nodes.proxies[0].fault = without(isOverride);
    const engine = nodes.engineWith();
    await engine.start();
    nodes.proxies[0].requests.length = 0;
    const answer = await engine.quote(query(chain, chain.wrappedNative, chain.usdc, '1'));
    expect(codesOf(answer)).not.toContain('QUOTERS_ONLY');
    expect(nodes.reads()[0]).toBe(0);

    nodes.proxies[1].fault = () => ({ kind: 'drop' });
    const fallback = await engine.quote(query(chain, chain.wrappedNative, chain.usdc, '1'));
    expect(codesOf(fallback)).toContain('QUOTERS_ONLY');
  });

  test('retries the lens after a minute', async () => {
    const { nodes, chain } = opened();
    let now = 1_000_000;
    const [proxy] = nodes.proxies;
    proxy.fault = without(isOverride);
    const engine = nodes.engineWith({ now: () => now }, 1);
    const request = query(chain, chain.wrappedNative, chain.usdc, '1');
    expect(codesOf(await engine.quote(request))).toContain('QUOTERS_ONLY');
    proxy.fault = () => undefined;
    now += 59_999;
    expect(codesOf(await engine.quote(request))).toContain('QUOTERS_ONLY');
    now += 1;
    expect(codesOf(await engine.quote(request))).not.toContain('QUOTERS_ONLY');
  });
});
