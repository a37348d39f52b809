import type { Address } from 'viem';
import { expect, test } from 'vitest';
import { weighConcentration } from './concentration.ts';

const wallet = (index: number): Address => `0x${index.toString(16).padStart(40, '0')}`;
const holders = [11, 12, 13].map((index) => ({ address: wallet(index), rawBalanceHint: null }));

function weigh(balances: readonly bigint[], unreadNamed = 0, pools: readonly string[] = []) {
  return weighConcentration({
    token: wallet(10),
    candidates: {
      status: 'known',
      stored: false,
      value: { holders, exactCount: null, approximateCount: 3, source: 'explorer', measuredAt: 0, asOfBlock: null },
    },
    measured: {
      blockNumber: 7n,
      balances: balances.map((balance, index) => ({ address: wallet(11 + index), balance, named: true })),
      unread: unreadNamed,
      unreadNamed,
    },
    stored: undefined,
    totalSupply: 100n,
    pools: new Set(pools),
    now: 0,
  });
}

test('default: shares of the supply, read on this call', () => {
  const { section, signal } = weigh([60n, 30n, 10n]);
  expect(section).toMatchObject({ top1SharePct: 60, top10SharePct: 100, ageSec: null, stale: false, asOfBlock: 7 });
  expect(signal).toMatchObject({ severity: 'high', value: 100 });
});

test('behavior: with a named holder unread the shares are not known: it may be the largest', () => {
  const { section, signal, measurement } = weigh([10n, 5n], 1);
  expect(section).toMatchObject({ top1SharePct: null, top10SharePct: null, ageSec: null, stale: null });
  expect(section.note).toContain('1 named holders could not be read');
  expect(signal).toMatchObject({ severity: 'unknown', value: null });
  expect(measurement).toBeUndefined();
});

test('counts neither pools nor burn addresses nor the token itself as wallets', () => {
  const { section, signal, topHolder } = weigh([60n, 30n, 10n], 0, [wallet(11)]);
  expect(section).toMatchObject({ top1SharePct: 60, top10SharePct: 100 });
  expect(section.note).toContain('pools 60.00 %');
  expect(signal).toMatchObject({ severity: 'low', value: 40 });
  expect(topHolder).toBe(wallet(12));
});

test.each([
  [25n, 'none'],
  [26n, 'low'],
  [50n, 'low'],
  [51n, 'medium'],
  [80n, 'medium'],
  [81n, 'high'],
])('rates a share of %s percent as %s', (share, severity) => {
  // A pool holds the rest.
  expect(weigh([share, 100n - share], 0, [wallet(12)]).signal).toMatchObject({ severity, value: Number(share) });
});
