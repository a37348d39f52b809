import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type PretradeVendors, VendorUnavailableError } from '../../engine/index.ts';
import { openTemporaryStores } from '../../tests/support/temporaryStores.ts';
import { createVendors } from './index.ts';

const token = '0x4200000000000000000000000000000000000006';
const other = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const now = 1_800_000_000_000;

const vendors = setupServer();
beforeAll(() => vendors.listen({ onUnhandledRequest: 'error' }));
afterAll(() => vendors.close());
afterEach(() => vendors.resetHandlers());
const stores = await openTemporaryStores();
afterAll(() => stores.close());

type Config = Parameters<typeof createVendors>[0]['config'];
const vendorsWith = (config: Omit<Config, 'timeoutMs'>) =>
  createVendors({
    config: { ...config, timeoutMs: 2_000 },
    endpoints: [],
    logIndexes: stores.facts('base').logIndexes,
    now: () => now,
  });
const dexscreener = () => vendorsWith({ dexscreener: { url: 'https://dexscreener.test' } });
const geckoterminal = () => vendorsWith({ geckoterminal: { url: 'https://geckoterminal.test' } });
const marketOf = (source: PretradeVendors) =>
  source.market[0]?.fetchMarket(token, { signal: new AbortController().signal });

const faultOf = (work: Promise<unknown> | undefined) =>
  Promise.resolve(work).then(
    (value) => value,
    (error: unknown) => (error instanceof VendorUnavailableError ? error.fault : error),
  );

const reply = (path: string, body: object, status = 200) =>
  vendors.use(http.get(path, () => HttpResponse.json(body, { status })));

test('reads the price of the deepest DexScreener pair with the token as base, and the volume of all its pairs; null without', async () => {
  const pair = { chainId: 'base', baseToken: { address: token }, quoteToken: { address: other } };
  reply(`https://dexscreener.test/token-pairs/v1/base/${token}`, [
    { ...pair, priceUsd: '9', volume: { h24: 5.5 }, liquidity: { usd: 10 }, marketCap: 1 },
    { ...pair, priceUsd: '0.00000000012', volume: { h24: 100 }, liquidity: { usd: 5_000 }, marketCap: 120_000 },
    {
      ...pair,
      baseToken: { address: other },
      quoteToken: { address: token },
      priceUsd: '1',
      volume: { h24: 1 },
      liquidity: { usd: 1e9 },
    },
    {
      ...pair,
      chainId: 'solana',
      baseToken: { address: 'So11111111111111111111111111111111111111112' },
      priceUsd: '77',
    },
  ]);
  expect(await marketOf(dexscreener())).toEqual({
    priceUsdSpot: 1.2e-10,
    volume24hUsd: 106.5,
    marketCapUsd: 120_000,
    holderCount: null,
    source: 'dexscreener',
  });
  reply(`https://dexscreener.test/token-pairs/v1/base/${token}`, []);
  expect(await marketOf(dexscreener())).toBeNull();
});

test('rejects DexScreener volumes whose sum overflows', async () => {
  const pair = {
    chainId: 'base',
    baseToken: { address: token },
    quoteToken: { address: other },
    volume: { h24: 1e308 },
  };
  reply(`https://dexscreener.test/token-pairs/v1/base/${token}`, [pair, pair]);
  expect(await faultOf(marketOf(dexscreener()))).toBe('malformed');
});

test('reads price, volume and market cap from GeckoTerminal; null for unknown tokens', async () => {
  const path = `https://geckoterminal.test/api/v2/networks/base/tokens/${token}`;
  reply(path, {
    data: {
      id: `base_${token}`,
      type: 'token',
      attributes: { address: token, price_usd: '2993.12', volume_usd: { h24: '1e6' }, market_cap_usd: null },
    },
  });
  expect(await marketOf(geckoterminal())).toMatchObject({
    priceUsdSpot: 2993.12,
    volume24hUsd: 1e6,
    marketCapUsd: null,
  });
  reply(path, { errors: [{ status: '404', title: 'Not Found' }] }, 404);
  expect(await marketOf(geckoterminal())).toBeNull();
});

test('rejects malformed GeckoTerminal prices', async () => {
  for (const price_usd of ['NaN', 'Infinity', '-1', '1e400', '12,5', ' ', true, {}, []]) {
    reply(`https://geckoterminal.test/api/v2/networks/base/tokens/${token}`, {
      data: { attributes: { address: token, price_usd } },
    });
    expect(await faultOf(marketOf(geckoterminal()))).toBe('malformed');
  }
});
