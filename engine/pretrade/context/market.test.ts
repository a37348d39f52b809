import { expect, test } from 'vitest';
import type { Asked } from '../askVendors.ts';
import type { HolderCandidates, Market } from '../pretradePorts.ts';
import { describeMarket, holderCountSource } from './market.ts';

const known = <T>(value: T): Asked<T> => ({ status: 'known', value, stored: false });
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

test('default: prices are the market’s word, the number of holders the explorer’s', () => {
  expect(describeMarket(market, holdersBy('blockscout'))).toMatchObject({ priceUsdSpot: 1, holderCount: 42 });
  expect(holderCountSource(market, holdersBy('blockscout'))).toBe('blockscout');
});

test('behavior: what our own index counts is not republished as a third party’s', () => {
  expect(describeMarket(market, holdersBy('logs')).holderCount).toBeNull();
});

test('behavior: without a market there is nothing, and the reason ends once', () => {
  const { holderCount, note } = describeMarket({ status: 'unread', reason: 'x could not be read.' }, holdersBy('a'));
  expect({ holderCount, note }).toEqual({ holderCount: null, note: 'No market data: x could not be read.' });
});
