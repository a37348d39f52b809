import { expect, test } from 'vitest';
import type { VendorResult } from '../fetchVendorFacts.ts';
import type { HolderCandidates, Market } from '../pretradePorts.ts';
import { describeMarket, holderCountSource } from './market.ts';

const known = <T>(value: T): VendorResult<T> => ({ status: 'known', value, stored: false });
const market = known<Market>({
  priceUsdSpot: 1,
  volume24hUsd: 2,
  marketCapUsd: null,
  holderCount: null,
  source: 'dexscreener',
});
const holdersBy = (source: string) =>
  known<HolderCandidates>({
    holders: [],
    exactCount: null,
    approximateCount: 42,
    source,
    measuredAt: 0,
    asOfBlock: null,
  });

test('default: prices come from the market source, the number of holders from the explorer', () => {
  expect(describeMarket(market, holdersBy('blockscout'))).toMatchObject({ priceUsdSpot: 1, holderCount: 42 });
  expect(holderCountSource(market, holdersBy('blockscout'))).toBe('blockscout');
});

test("behavior: a holder count from this service's log index is not attributed to a vendor", () => {
  expect(describeMarket(market, holdersBy('logs')).holderCount).toBeNull();
});

test('behavior: without market data, the holder count is null and the reason ends with one full stop', () => {
  const { holderCount, note } = describeMarket({ status: 'unread', reason: 'x could not be read.' }, holdersBy('a'));
  expect({ holderCount, note }).toEqual({ holderCount: null, note: 'No market data: x could not be read.' });
});

const unread = { status: 'unread', reason: 'x could not be read.' } as const;
const counted = known<Market>({ ...(market.status === 'known' && market.value), holderCount: 7 } as Market);

test.each([
  ['two vendors', market, holdersBy('blockscout'), 42, 'dexscreener and blockscout', 'blockscout'],
  ['one vendor for both', market, holdersBy('dexscreener'), 42, 'dexscreener', 'dexscreener'],
  ['holders unread', market, unread, null, 'dexscreener', null],
  ['holders from our log index', market, holdersBy('logs'), null, 'dexscreener', 'logs'],
  ['a holder count in the market data', counted, holdersBy('blockscout'), 7, 'dexscreener', 'dexscreener'],
  ['a holder count in the market data, holders unread', counted, unread, 7, 'dexscreener', 'dexscreener'],
])('names the sources of market and holder count: %s', (_, read, holders, holderCount, sources, source) => {
  expect(describeMarket(read, holders)).toMatchObject({
    ...{ priceUsdSpot: 1, volume24hUsd: 2, marketCapUsd: null, holderCount },
    note: `Republished from ${sources}; none of it is measured by this service.`,
  });
  expect(holderCountSource(read, holders)).toBe(source);
});

test('a holder count without a market has no source', () => {
  expect(holderCountSource(unread, holdersBy('blockscout'))).toBeNull();
});

test('prefers the exact number of holders', () => {
  const holders = holdersBy('blockscout');
  if (holders.status !== 'known') throw new TypeError('known');
  const exact = known<HolderCandidates>({ ...holders.value, exactCount: 41 });
  expect(describeMarket(market, exact).holderCount).toBe(41);
});
