import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { PretradeAnswer, PretradeChecker, RpcEndpoint } from '../../engine/index.ts';
import { stateSelector } from '../../engine/pools/encodeStateCall.ts';
import { exitSelector } from '../../engine/pretrade/exit/encodeExit.ts';
import { createNodeClient, type ProxiedCall, type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import { coreTokens } from '../../sandbox/testTokens/coreTokens.ts';
import { loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { shareOf } from '../support/proofSize.ts';
import { checkerOn, checkerOver, startTestTokens, type TestTokensOnBase } from './checkOn.ts';

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

function check(symbol: string): Promise<PretradeAnswer> {
  const testToken = fixture.testTokens.tokens.find((candidate) => candidate.symbol === symbol);
  if (!testToken) throw new TypeError(`${symbol} is not a test token.`);
  return checker.check({ chain: 'base', token: testToken.address });
}

const isLogs = ({ calls }: { calls: ProxiedCall[] }) => calls.some(({ method }) => method === 'eth_getLogs');

/** The requests of a check, without those for logs, which are sent in parallel with the first. */
async function readRequests(symbol: string): Promise<RpcProxy['requests']> {
  const before = proxy.requests.length;
  await check(symbol);
  return proxy.requests.slice(before).filter((request) => !isLogs(request));
}

const countRequests = async (symbol: string): Promise<number> => (await readRequests(symbol)).length;

/** `totalSupply()`, which only scans of owner functions simulate. */
const supplySelector = '0x18160ddd';

/** Whether the request measures pools from logs or tries owner functions. It is sent beside the simulated trades. */
const needsLogs = ({ calls }: { calls: ProxiedCall[] }): boolean =>
  calls.some(({ method, params }) =>
    JSON.stringify(params).includes(method === 'eth_simulateV1' ? supplySelector : exitSelector),
  );

/** Tokens whose concentrated pool pays too little: a further request measures a sale over its whole price range. */
const wideSales = new Set(['ABOVE']);
/** Tokens whose trades affect each other in a shared simulation: the first repeat simulates them again, one by one. */
const simulatedAgain = new Set(['REFLECT', 'DAYLOCK', 'WINDOW', 'MAXSALE', 'KEEPONE']);
/**
 * Tokens some of whose sales are refused or taxed and others not: all trades are simulated again, with the blocks between
 * purchase and sale.
 */
const simulatedWithBlocks = new Set([
  ...['POOLTAX', 'EARLY', 'TAXPOOLS', 'GASSALE', 'GASBUYER', 'COOLDOWN', 'DAYLOCK'],
  ...['WINDOW', 'MAXSALE', 'KEEPONE', 'DEAF', 'SPY', 'SHY'],
]);
/** Tokens without a pool to trade in, so without a second request. */
const poolless = new Set(['NOPOOL', 'NOPOOLGATE', 'VAULTED']);

/** Tokens whose quote needs requests of its own. */
const searched = new Set([
  // Only logs contain their pools, or no route fills.
  ...['INFLATED', 'JUNK', 'JUNKPAIR', 'FARHOP', 'ALGCUSTOM', 'ALGREFUSE'],
  // A second order of the size is refused, or costs far more.
  ...['POOLTAX', 'THIN', 'MICRO'],
  // Only pools without maths trade them, so the search reads more ticks of the pools on the way.
  ...['V4HOOK', 'V4REFUSE', 'ALGEBRA', 'ALGSHUT'],
  // The trades contradict the states of the pools.
  ...['FLATFEE', 'FLATFEE50', 'TWOHOP'],
]);

test('default: a first check takes two requests, at most one more after the logs, and a repeat one', async () => {
  const tokens = shareOf(coreTokens, 6).filter(({ symbol }) => !searched.has(symbol));
  for (const [index, { symbol }] of tokens.entries()) {
    // The first check of an engine also reads the base fee, and how to fund accounts with USDC.
    const before = index === 0 ? 2 : 0;
    const [, ...further] = (await readRequests(symbol)).slice(before);
    expect([symbol, further.filter((request) => !needsLogs(request)).length]).toEqual([
      symbol,
      poolless.has(symbol) ? 0 : simulatedWithBlocks.has(symbol) ? 2 : 1,
    ]);
    expect([
      symbol,
      further.filter(needsLogs).length <= (wideSales.has(symbol) || simulatedWithBlocks.has(symbol) ? 2 : 1),
    ]).toEqual([symbol, true]);
  }
  for (const again of [simulatedAgain, new Set<string>()]) {
    for (const { symbol } of tokens) {
      const further = wideSales.has(symbol) || again.has(symbol) ? 1 : 0;
      expect([symbol, await countRequests(symbol)]).toEqual([symbol, 1 + further]);
    }
  }
});

test('simulates the trades of a first check before the logs arrive', async () => {
  const endpoint = loopbackEndpoint(fixture.base.rpcUrl);
  let reportTrades = () => {};
  const traded = new Promise<void>((resolve) => {
    reportTrades = resolve;
  });
  // A check that waits for the logs first stops waiting after two seconds, and reports them as unread.
  const send: RpcEndpoint['send'] = async (calls, options) => {
    if (calls.some(({ method }) => method === 'eth_simulateV1')) reportTrades();
    if (calls.some(({ method }) => method === 'eth_blockNumber')) await traded;
    return endpoint.send(calls, options);
  };
  checker = checkerOver(fixture.base, { label: 'logs last', send });
  const { reasons } = await check('PLAIN');
  expect(reasons.filter((reason) => /logs|took too long/.test(reason))).toEqual([]);
});

test('reads the market of the quote once if logs contain a pool that the first request did not measure', async () => {
  await check('SIX');
  proxy.requests.length = 0;
  await check('PLAIN');
  const sent = JSON.stringify(proxy.requests.map(({ calls }) => calls));
  expect(sent.split(`"data":"${exitSelector}`)).toHaveLength(3);
  expect(sent.split(`"data":"${stateSelector}`)).toHaveLength(2);
});

/** The bytes of a repeat, in the characters of its calls. It sends neither of the lenses that find pools. */
async function repeatBytes(symbol: string): Promise<number> {
  await check(symbol);
  await mine(1);
  const before = proxy.requests.length;
  await check(symbol);
  const repeat = proxy.requests.slice(before);
  expect(repeat).toHaveLength(2);
  const sent = JSON.stringify(repeat.map(({ calls }) => calls));
  for (const selector of [exitSelector, stateSelector]) expect(sent).not.toContain(`"data":"${selector}`);
  return sent.length;
}

test.each([
  ['SIX', 'a pair'],
  ['TAX5', 'a pair'],
  ['V3ONLY', 'a concentrated pool'],
  ['REGUSD', 'a pair, behind a proxy'],
  ['PLAIN', 'two pairs'],
])(
  'a repeat check of %s (%s) sends at most 50 kB with deployed lenses and executor, 104 kB without',
  async (symbol) => {
    expect(await repeatBytes(symbol)).toBeLessThanOrEqual(104_000);
    const engine = checkerOver(fixture.base, loopbackEndpoint(proxy.url));
    await engine.refreshDeployments();
    checker = engine;
    expect(await repeatBytes(symbol)).toBeLessThanOrEqual(50_000);
  },
);

test('behavior: reads logs in separate requests: two in a first check, one in a repeat', async () => {
  for (const expected of [2, 1, 1]) {
    proxy.requests.length = 0;
    await check('PLAIN');
    const logs = proxy.requests.filter(isLogs);
    expect(logs.length).toBe(expected);
    for (const { calls } of logs) for (const { method } of calls) expect(method).toMatch(/^eth_(getLogs|blockNumber)$/);
  }
});

test('behavior: a repeat check takes one request if blocks were mined since the first', async () => {
  await check('SETTAX');
  await mine(3);
  expect(await countRequests('SETTAX')).toBe(1);
});

test('behavior: the values of one answer are of one block', async () => {
  await check('PLAIN');
  await mine(1);
  const { liquidityCoverage, dormancy } = await check('PLAIN');
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

test('behavior: without eth_simulateV1 the outcome is tradable or unknown, and no tax is reported', async () => {
  proxy.fault = withoutSimulation;
  for (const { symbol, truth } of shareOf(coreTokens, 6, 1)) {
    const { verdict, triggers, risk_profile, flags, coverage, reasons } = await check(symbol);
    const { outcome, sellTaxRaw, buyTaxRaw } = risk_profile.transferability;
    // One call in one block can prove that a trade works, but not that it is blocked.
    expect([symbol, outcome]).toEqual([symbol, expect.stringMatching(/^(tradable|unknown)$/)]);
    if (outcome === 'tradable') expect([symbol, truth.canBuy && truth.canSell]).toEqual([symbol, true]);
    expect([symbol, (sellTaxRaw ?? 0) <= 0 && (buyTaxRaw ?? 0) <= 0]).toEqual([symbol, true]);
    if (flags['F-FOT'].severity === 'unknown') {
      expect(coverage.axesReporting).toBeLessThan(5);
      expect(reasons.some((reason) => reason.includes('F-FOT is unavailable'))).toBe(true);
    }
    // Triggers from getters and pools need no simulation; that of an ambiguous gate does.
    const ambiguous = truth.tradingGate?.ambiguous === true;
    if (ambiguous) expect([symbol, triggers]).toEqual([symbol, []]);
    else {
      expect([truth.triggers, ...(truth.acceptedTriggers ?? [])]).toContainEqual(triggers);
      expect([symbol, verdict]).toEqual([symbol, truth.verdict]);
    }
  }
});

test('behavior: sends no simulation to a node without eth_simulateV1 after the first check', async () => {
  proxy.fault = withoutSimulation;
  const plain = await check('PLAIN');
  expect(plain.risk_profile.transferability).toMatchObject({ outcome: 'tradable', sellTaxRaw: 0, buyTaxRaw: 0 });
  expect(await countRequests('SIX')).toBe(2);
  const methods = proxy.requests.slice(-2).flatMap(({ calls }) => calls.map(({ method }) => method));
  expect(methods).not.toContain('eth_simulateV1');
});

test('behavior: sends simulations again ten minutes after the node reported that it has none', async () => {
  proxy.fault = withoutSimulation;
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  try {
    ({ checker } = checkerOn(fixture.base, proxy.url));
    await check('TAX100');
    proxy.fault = () => undefined;
    expect((await check('TAX100')).risk_profile.transferability.sellTaxRaw).toBeNull();
    vi.setSystemTime(Date.now() + 600_000);
    expect((await check('TAX100')).risk_profile.transferability.sellTaxRaw).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});

test('behavior: reports the error of a node that refuses simulations, with control characters removed', async () => {
  proxy.fault = (calls) =>
    calls.some(({ method }) => method === 'eth_simulateV1')
      ? {
          kind: 'rewrite',
          reply: (text) =>
            refuseSimulations(text, calls).replaceAll('-32601', '-32000').replaceAll('does not exist', 'is \u202ebusy'),
        }
      : undefined;
  const { verdict, risk_profile, flags, confidence } = await check('TAX100');
  expect(verdict).toBe('clear');
  expect(risk_profile.transferability).toMatchObject({ outcome: 'unknown', sellTaxRaw: null, buyTaxRaw: null });
  // The note contains the node's message without the right-to-left override.
  expect(risk_profile.transferability.note).toContain('refused the simulation (the method eth_simulateV1 is busy)');
  expect(flags['F-FOT'].severity).toBe('unknown');
  expect(confidence).toBe('low');
});

const mine = (blocks: number) => createNodeClient(fixture.base.rpcUrl).call('anvil_mine', [blocks]);
