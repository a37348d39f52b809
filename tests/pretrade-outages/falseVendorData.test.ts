import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { shareOf } from '../support/proofSize.ts';
import { type Answer, type OutageEnvironment, openOutageEnvironment } from './outageEnvironment.ts';
import { faultsOf, provenPart, verdictPart } from './provenPart.ts';

// Vendors that return valid responses with wrong data. Data that the chain contradicts is rejected. Other data is returned
// with the vendor as source and does not affect the verdict.

let environment: OutageEnvironment;
/** Tokens that one server can check before it reaches its limit of explorer requests in a minute. */
const tokensPerService = 40;

afterEach(() => environment.clearFaults());
afterAll(() => environment?.close());

async function checkTestTokens(each: (symbol: string, answer: Answer) => void): Promise<void> {
  const symbols = shareOf(environment.testTokens, 6).map(({ symbol }) => symbol);
  for (let from = 0; from < symbols.length; from += tokensPerService) {
    const service = await environment.open();
    for (const symbol of symbols.slice(from, from + tokensPerService)) {
      const { status, answer, text } = await service.check(environment.tokenOf(symbol));
      expect(status, `${symbol}: ${text}`).toBe(200);
      expect(faultsOf(answer), symbol).toEqual([]);
      each(symbol, answer);
    }
    await service.close();
  }
}

beforeAll(async () => {
  environment = await openOutageEnvironment();
});

const wallet = (n: number) => `0x${(0xabc000 + n).toString(16).padStart(40, '0')}`;
const isHolders = (path: string) => /\/tokens\/[^/]+\/holders$/.test(path);
const isAge = (path: string) => path === '/api';
type Pages = { items: { address: { hash: string }; value: string }[] };
type Logs = { result: { blockNumber: string; timeStamp: string; transactionHash: string }[] };
const ofHolders = (change: (page: Pages) => unknown) => (path: string, page: unknown) =>
  isHolders(path) ? change(page as Pages) : page;
const ofAge = (change: (log: Logs['result'][number]) => object) => (path: string, page: unknown) => {
  const [first] = (page as Logs).result ?? [];
  return isAge(path) && first ? { status: '1', message: 'OK', result: [{ ...first, ...change(first) }] } : page;
};

const falseHolders: [string, (path: string, page: unknown) => unknown][] = [
  [
    'wallets that hold nothing',
    ofHolders(({ items }) => ({ items: items.map((item, n) => ({ ...item, address: { hash: wallet(n) } })) })),
  ],
  ['all holders but the largest', ofHolders(({ items }) => ({ items: items.slice(1) }))],
  ['only the smallest holder', ofHolders(({ items }) => ({ items: items.slice(-1) }))],
  [
    'three times each balance',
    ofHolders(({ items }) => ({ items: items.map((item) => ({ ...item, value: String(3n * BigInt(item.value)) })) })),
  ],
  ['no holders', ofHolders(() => ({ items: [] }))],
];

test.each(falseHolders)('behavior: F-CONC is unknown if the holder source returns %s', async (_what, falsify) => {
  const service = await environment.open();
  environment.explorer.falsify = falsify;
  for (const symbol of ['cbBTC', 'OAK']) {
    const { answer } = await service.check(environment.tokenOf(symbol));
    expect(answer.flags['F-CONC'], symbol).toMatchObject({ severity: 'unknown', value: null });
    expect(answer.risk_profile.concentration).toMatchObject({ top1SharePct: null, stale: null });
    expect(answer.reasons.join(' ')).toMatch(/F-CONC is unavailable/);
    expect(faultsOf(answer)).toEqual([]);
  }
  await service.close();
});

const falseAges: [string, (path: string, page: unknown) => unknown][] = [
  ['a time in 2012', ofAge(() => ({ timeStamp: '0x50000000' }))],
  ['a future time', ofAge(() => ({ timeStamp: '0xf0000000' }))],
  ['a block without a transfer', ofAge(() => ({ blockNumber: '0x0' }))],
  ['a future block', ofAge(() => ({ blockNumber: '0xffffff' }))],
  ['an unknown transaction', ofAge(() => ({ transactionHash: `0x${'ab'.repeat(32)}` }))],
];

test.each(falseAges)(
  'behavior: F-AGE is unknown if the age source returns %s, and nothing of it is stored',
  async (_what, falsify) => {
    const service = await environment.open();
    environment.explorer.falsify = falsify;
    const { answer } = await service.check(environment.tokenOf('OAK'));
    expect(answer.flags['F-AGE']).toMatchObject({ severity: 'unknown', value: null });
    expect(answer.risk_profile.age).toMatchObject({ ageDays: null, genesisBlock: null });
    expect(faultsOf(answer)).toEqual([]);

    environment.explorer.falsify = undefined;
    const later = (await service.check(environment.tokenOf('OAK'))).answer;
    expect(later.risk_profile.age.genesisBlock).toBe(1);
    await service.close();
  },
);

test('behavior: false market numbers have their vendor as source and change no other field', async () => {
  const service = await environment.open();
  environment.market.falsify = (_path, page) =>
    (page as object[]).map((pair) => ({ ...pair, priceUsd: '0.000000000001', volume: { h24: 1e15 }, marketCap: 9e20 }));
  const { answer } = await service.check(environment.tokenOf('OAK'));
  expect(answer.market).toMatchObject({ priceUsdSpot: 1e-12, marketCapUsd: 9e20 });
  expect(answer.sources['market.priceUsdSpot']).toBe('vendor: dexscreener');
  const second = await environment.open();
  environment.market.falsify = undefined;
  const honest = (await second.check(environment.tokenOf('OAK'))).answer;
  expect(provenPart(answer)).toEqual(provenPart(honest));
  const severities = ({ flags }: Answer) => Object.entries(flags).map(([name, { severity }]) => [name, severity]);
  expect(severities(answer)).toEqual(severities(honest));
  expect(answer.confidence).toBe(honest.confidence);
  await service.close();
  await second.close();
});

test('behavior: no verdict of a test token changes while every vendor returns false data', async () => {
  const baseline = new Map<string, Answer>();
  await checkTestTokens((symbol, answer) => baseline.set(symbol, answer));
  environment.explorer.falsify = (path, page) => {
    const falsify = isHolders(path) ? falseHolders[0]?.[1] : falseAges[0]?.[1];
    if (/\/addresses\/[^/]+$/.test(path)) return { ...(page as object), creator_address_hash: wallet(7) };
    return falsify?.(path, page);
  };
  environment.market.falsify = (_path, page) =>
    (page as object[]).map((pair) => ({ ...pair, priceUsd: '0', marketCap: 0 }));
  await checkTestTokens((symbol, answer) => {
    const was = baseline.get(symbol);
    if (!was) throw new Error(`${symbol} has no baseline answer.`);
    expect(verdictPart(answer), symbol).toEqual(verdictPart(was));
    expect(answer.flags['F-CONC'].severity, symbol).toBe('unknown');
    expect(answer.flags['F-AGE'].severity, symbol).toBe('unknown');
    expect(answer.coverage.axesReporting, symbol).toBeLessThanOrEqual(was.coverage.axesReporting);
  });
}, 300_000);
