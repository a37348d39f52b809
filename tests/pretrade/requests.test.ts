import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { PretradeAnswer, PretradeChecker } from '../../engine/index.ts';
import { exitSelector } from '../../engine/pretrade/exit/encodeExit.ts';
import { askSelector } from '../../engine/quote/encodeQuestion.ts';
import { createNodeClient, type ProxiedCall, type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import { coreTokens } from '../../sandbox/testTokens/coreTokens.ts';
import { shareOf } from '../support/proofSize.ts';
import { checkerOn, startTestTokens, type TestTokensOnBase } from './checkOn.ts';

let fixture: TestTokensOnBase;
let proxy: RpcProxy;
let checker: PretradeChecker;

beforeAll(async () => {
  fixture = await startTestTokens();
  proxy = await startRpcProxy(fixture.base.rpcUrl);
});
afterAll(async () => {
  await proxy?.close();
  await fixture?.sandbox.close();
});
beforeEach(() => {
  proxy.requests.length = 0;
  proxy.fault = () => undefined;
  checker = checkerOn(fixture.base, proxy.url).checker;
});

function ask(symbol: string): Promise<PretradeAnswer> {
  const testToken = fixture.testTokens.tokens.find((candidate) => candidate.symbol === symbol);
  if (!testToken) throw new TypeError(`${symbol} is not a test token.`);
  return checker.check({ chain: 'base', token: testToken.address });
}

const isLogs = ({ calls }: { calls: ProxiedCall[] }) => calls.some(({ method }) => method === 'eth_getLogs');

/** Requests without those for logs, which go out beside the first of the others. */
async function countRequests(symbol: string): Promise<number> {
  const before = proxy.requests.length;
  await ask(symbol);
  return proxy.requests.slice(before).filter((request) => !isLogs(request)).length;
}

/**
 * Where a pool pays in an asset outside our lists, or only logs name it, trades can be planned only once it was
 * measured.
 */
const farPools = new Set(['JUNK', 'JUNKPAIR', 'TWOHOP', 'FARHOP', 'ALGCUSTOM', 'ALGREFUSE']);
/** A concentrated pool that pays too little: one more for a sale over its whole price range. */
const boundPools = new Set(['ABOVE']);
/** In shared simulations their trades show something else: the first repeat simulates them once more, one by one. */
const disturbed = new Set(['REFLECT', 'DAYLOCK', 'WINDOW', 'MAXSALE', 'KEEPONE']);
/** Nothing to trade in, so nothing to ask for a second time. */
const poolless = new Set(['NOPOOL', 'NOPOOLGATE', 'VAULTED']);

test('default: a token seen the first time takes two requests, later ones one, owner powers included', async () => {
  const tokens = shareOf(coreTokens, 6);
  for (const [index, { symbol }] of tokens.entries()) {
    // The first check of all also reads the base fee, and how accounts are funded with USDC.
    const first = index === 0 ? 2 : 0;
    const expected = farPools.has(symbol) ? 3 : poolless.has(symbol) ? 1 : 2;
    const bound = boundPools.has(symbol) ? 1 : 0;
    expect([symbol, await countRequests(symbol)]).toEqual([symbol, first + expected + bound]);
  }
  for (const again of [disturbed, new Set<string>()]) {
    for (const { symbol } of tokens) {
      const further = boundPools.has(symbol) || again.has(symbol) ? 1 : 0;
      expect([symbol, await countRequests(symbol)]).toEqual([symbol, 1 + further]);
    }
  }
});

test('reads the market of the quote once, although logs name a pool that the first request did not measure', async () => {
  await ask('SIX');
  proxy.requests.length = 0;
  await ask('PLAIN');
  const sent = JSON.stringify(proxy.requests.map(({ calls }) => calls));
  expect(sent.split(`"data":"${exitSelector}`)).toHaveLength(3);
  expect(sent.split(`"data":"${askSelector}`)).toHaveLength(2);
});

test.each(['SIX', 'TAX5', 'V3ONLY'])(
  'a repeat check of %s, which has one pool, sends at most 40 kB',
  async (symbol) => {
    await ask(symbol);
    await mine(1);
    const before = proxy.requests.length;
    await ask(symbol);
    const repeat = proxy.requests.slice(before);
    expect(repeat).toHaveLength(2);
    expect(JSON.stringify(repeat.map(({ calls }) => calls)).length).toBeLessThanOrEqual(40_000);
  },
);

test('behavior: logs are read in requests of their own: two the first time, one later', async () => {
  for (const expected of [2, 1, 1]) {
    proxy.requests.length = 0;
    await ask('PLAIN');
    const logs = proxy.requests.filter(isLogs);
    expect(logs.length).toBe(expected);
    for (const { calls } of logs) for (const { method } of calls) expect(method).toMatch(/^eth_(getLogs|blockNumber)$/);
  }
});

test('behavior: blocks in between cost no further request', async () => {
  await ask('SETTAX');
  await mine(3);
  expect(await countRequests('SETTAX')).toBe(1);
});

test('behavior: everything in one answer is of one block', async () => {
  await ask('PLAIN');
  await mine(1);
  const { liquidityCoverage, dormancy } = await ask('PLAIN');
  expect(dormancy.headBlock).toBe(liquidityCoverage.asOfBlock);
});

const withoutSimulation = (calls: ProxiedCall[]) =>
  calls.some(({ method }) => method === 'eth_simulateV1')
    ? ({ kind: 'rewrite', reply: (text: string) => refuseSimulations(text, calls) } as const)
    : undefined;

function refuseSimulations(text: string, calls: ProxiedCall[]): string {
  const simulated = new Set(calls.filter(({ method }) => method === 'eth_simulateV1').map(({ id }) => id));
  const replies = JSON.parse(text) as { id: unknown }[];
  return JSON.stringify(
    replies.map((reply) =>
      simulated.has(reply.id)
        ? { jsonrpc: '2.0', id: reply.id, error: { code: -32601, message: 'the method eth_simulateV1 does not exist' } }
        : reply,
    ),
  );
}

test('behavior: without eth_simulateV1 what works is known from one call, and nothing else is claimed', async () => {
  proxy.fault = withoutSimulation;
  for (const { symbol, truth } of shareOf(coreTokens, 6, 1)) {
    const { verdict, triggers, risk_profile, flags, coverage, reasons } = await ask(symbol);
    const { outcome, sellTaxRaw, buyTaxRaw } = risk_profile.transferability;
    // A negative is proven by more than one call in one block, or not said.
    expect([symbol, outcome]).toEqual([symbol, expect.stringMatching(/^(tradable|unknown)$/)]);
    if (outcome === 'tradable') expect([symbol, truth.canBuy && truth.canSell]).toEqual([symbol, true]);
    expect([symbol, (sellTaxRaw ?? 0) <= 0 && (buyTaxRaw ?? 0) <= 0]).toEqual([symbol, true]);
    if (flags['F-FOT'].severity === 'unknown') {
      expect(coverage.axesReporting).toBeLessThan(5);
      expect(reasons.some((reason) => reason.includes('F-FOT is unavailable'))).toBe(true);
    }
    // What rests on getters and pools needs no simulation; what needs one confirmed is left out.
    const ambiguous = truth.tradingGate?.ambiguous === true;
    if (ambiguous) expect([symbol, triggers]).toEqual([symbol, []]);
    else {
      expect([truth.triggers, ...(truth.acceptedTriggers ?? [])]).toContainEqual(triggers);
      expect([symbol, verdict]).toEqual([symbol, truth.verdict]);
    }
  }
});

test('behavior: a node that lacks simulations is asked for none from the second token on', async () => {
  proxy.fault = withoutSimulation;
  const plain = await ask('PLAIN');
  expect(plain.risk_profile.transferability).toMatchObject({ outcome: 'tradable', sellTaxRaw: 0, buyTaxRaw: 0 });
  expect(await countRequests('SIX')).toBe(2);
  const methods = proxy.requests.slice(-2).flatMap(({ calls }) => calls.map(({ method }) => method));
  expect(methods).not.toContain('eth_simulateV1');
});

test('behavior: a node that has simulations again is asked for them a minute later', async () => {
  proxy.fault = withoutSimulation;
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  try {
    ({ checker } = checkerOn(fixture.base, proxy.url));
    await ask('TAX100');
    proxy.fault = () => undefined;
    expect((await ask('TAX100')).risk_profile.transferability.sellTaxRaw).toBeNull();
    vi.setSystemTime(Date.now() + 60_000);
    expect((await ask('TAX100')).risk_profile.transferability.sellTaxRaw).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});

test('behavior: a node that refuses some simulations leaves the answer without them, and says so', async () => {
  proxy.fault = (calls) =>
    calls.some(({ method }) => method === 'eth_simulateV1')
      ? {
          kind: 'rewrite',
          reply: (text) =>
            refuseSimulations(text, calls).replaceAll('-32601', '-32000').replaceAll('does not exist', 'is \u202ebusy'),
        }
      : undefined;
  const { verdict, risk_profile, flags, confidence } = await ask('TAX100');
  expect(verdict).toBe('clear');
  expect(risk_profile.transferability).toMatchObject({ outcome: 'unknown', sellTaxRaw: null, buyTaxRaw: null });
  // Its words stand in the answer, and nothing of them that turns the words around them.
  expect(risk_profile.transferability.note).toContain('refused the simulation (the method eth_simulateV1 is busy)');
  expect(flags['F-FOT'].severity).toBe('unknown');
  expect(confidence).toBe('low');
});

const mine = (blocks: number) => createNodeClient(fixture.base.rpcUrl).call('anvil_mine', [blocks]);
