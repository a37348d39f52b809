import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ChainName, VendorUnavailableError } from '../../engine/index.ts';
import { openTemporaryStores } from '../../tests/support/temporaryStores.ts';
import { createVendors } from './index.ts';

const token = '0x4200000000000000000000000000000000000006';
const other = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const address = (digit: string) => `0x${digit.repeat(40)}`;
const id = `0x${'Ab'.repeat(32)}`;

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterAll(() => server.close());
afterEach(() => server.resetHandlers());
const stores = await openTemporaryStores();
afterAll(() => stores.close());

const vendorsWith = (poolHints: boolean) =>
  createVendors({
    config: {
      dexscreener: { url: 'https://dexscreener.test' },
      geckoterminal: { url: 'https://geckoterminal.test' },
      ...(poolHints && { poolHints }),
      timeoutMs: 300,
    },
    endpoints: [],
    logIndexes: stores.facts('base').logIndexes,
    now: () => 1_800_000_000_000,
  });
function fetchFrom(label: string, chain: ChainName = 'base') {
  const source = vendorsWith(true).poolHints[chain]?.find((each) => each.label === label);
  if (!source) throw new TypeError(`${label} is not a source of ${chain}.`);
  return source.fetchPools(token, { signal: new AbortController().signal });
}
const reply = (path: string, body: () => Response | Promise<Response>) => server.use(http.get(path, body));
const json = (body: object) => () => HttpResponse.json(body);
const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: unknown) => (error instanceof VendorUnavailableError ? error.fault : error),
  );

const pair = (pairAddress: unknown, liquidity?: number, more: object = {}) => ({
  chainId: 'base',
  pairAddress,
  baseToken: { address: other },
  quoteToken: { address: token.toUpperCase().replace('0X', '0x') },
  ...(liquidity !== undefined && { liquidity: { usd: liquidity } }),
  ...more,
});
const dexscreenerPath = `https://dexscreener.test/token-pairs/v1/base/${token}`;

test('returns the pairs of the token on the chain, the most liquid first, in lower case', async () => {
  reply(
    dexscreenerPath,
    json([
      pair(address('A')),
      pair(id, 5_000),
      pair(address('b'), 10),
      pair(address('c'), 1e9, { chainId: 'ethereum' }),
      pair(address('d'), 1e9, { quoteToken: { address: address('e') } }),
    ]),
  );
  expect(await fetchFrom('dexscreener')).toEqual([id.toLowerCase(), address('b'), address('a')]);
});

test.each([
  ['a missing address', pair(undefined)],
  ['a text', pair('pool')],
  ['an address of another length', pair(`${address('a')}00`)],
  ['a composite id', pair(`${address('a')}:${address('b')}:${address('c')}`)],
  ['negative liquidity', pair(address('b'), -1)],
  ['null', null],
  ['a list', []],
])('skips %s and keeps the other pairs', async (_, entry) => {
  reply(dexscreenerPath, json([entry, pair(address('f'))] as object));
  expect(await fetchFrom('dexscreener')).toEqual([address('f')]);
});

test.each<[ChainName, string]>([
  ['base', 'base'],
  ['polygon', 'polygon_pos'],
  ['arbitrum', 'arbitrum'],
])('returns the top pools of GeckoTerminal on %s', async (chain, network) => {
  const listed = [{ attributes: { address: address('A') } }, { attributes: {} }, { attributes: { address: id } }];
  reply(
    `https://geckoterminal.test/api/v2/networks/${network}/tokens/${token}/pools`,
    json({ data: listed, included: [] }),
  );
  expect(await fetchFrom('geckoterminal', chain)).toEqual([address('a'), id.toLowerCase()]);
});

test('returns no pools for a token that GeckoTerminal does not know', async () => {
  reply(`https://geckoterminal.test/api/v2/networks/base/tokens/${token}/pools`, () =>
    HttpResponse.json({ errors: [{ status: '404' }] }, { status: 404 }),
  );
  expect(await fetchFrom('geckoterminal')).toEqual([]);
});

test('looks at the first 60 of 5,000 pairs', async () => {
  const many = Array.from({ length: 5_000 }, (_, at) => pair(`0x${at.toString(16).padStart(40, '0')}`));
  reply(dexscreenerPath, json(many));
  expect(await fetchFrom('dexscreener')).toHaveLength(60);
});

test.each<[string, () => Response | Promise<Response>, string]>([
  ['a body of 3 MB', json([pair(address('a')), { padding: 'x'.repeat(3_000_000) }]), 'too-large'],
  ['no list', json({ pairs: [] }), 'malformed'],
  ['HTTP 500', () => new HttpResponse(null, { status: 500 }), 'server-error'],
  ['HTTP 429', () => new HttpResponse(null, { status: 429 }), 'rate-limited'],
  ['a closed connection', () => HttpResponse.error(), 'unreachable'],
  ['no reply', () => new Promise<Response>(() => undefined), 'timeout'],
])('fails on %s', async (_, body, fault) => {
  reply(dexscreenerPath, body);
  expect(await faultOf(fetchFrom('dexscreener'))).toBe(fault);
});

test('has no source if POOL_HINTS is off', () => {
  expect(vendorsWith(false).poolHints).toEqual({});
});

test('hints and market data share one request; a caller that aborts does not cancel it for the other', async () => {
  let requests = 0;
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  reply(dexscreenerPath, async () => {
    requests += 1;
    await answered;
    return HttpResponse.json([pair(address('a'), 5)]);
  });
  const { poolHints, market } = vendorsWith(true);
  const hints = poolHints.base?.find(({ label }) => label === 'dexscreener');
  const caller = new AbortController();
  const marketData = faultOf(market[0]?.fetchMarket(token, { signal: caller.signal }) ?? Promise.resolve());
  const pools = hints?.fetchPools(token, { signal: new AbortController().signal });
  caller.abort();
  expect(await marketData).toBe('timeout');
  answer();
  expect(await pools).toEqual([address('a')]);
  expect(await market[0]?.fetchMarket(token, { signal: new AbortController().signal })).not.toBeNull();
  expect(requests).toBe(1);
});

test('a failure is not kept: the next caller sends a request', async () => {
  const { poolHints } = vendorsWith(true);
  const hints = poolHints.base?.find(({ label }) => label === 'dexscreener');
  const fetchPools = () =>
    faultOf(hints?.fetchPools(token, { signal: new AbortController().signal }) ?? Promise.resolve());
  reply(dexscreenerPath, () => HttpResponse.json({}, { status: 500 }));
  expect(await fetchPools()).toBe('server-error');
  reply(dexscreenerPath, json([]));
  expect(await fetchPools()).toBe('none');
});
