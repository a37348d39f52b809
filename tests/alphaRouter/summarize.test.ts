import { expect, test } from 'vitest';
import type { Comparison } from './comparison.ts';
import { summarize } from './summarize.ts';

const side = { received: '1', gasUsed: 100_000, net: 1, legs: [] };
const row = (differenceBps: number | null): Comparison => ({
  market: 'v2 and v3',
  effort: 'default',
  kind: 'deep',
  usd: 500,
  about: '500 USD of WETH to USDC',
  differenceBps,
  boundBps: { truefill: 2, router: 3 },
  lostPart: 0.01,
  truefill: side,
  router: side,
});

test('an answer over 1 bp below the router fails', () => {
  expect(summarize([row(-1.1), row(12)]).failed).toEqual([row(-1.1)]);
});

test('an answer within 1 bp, or without a plan of the router, is not below', () => {
  expect(summarize([row(-1), row(12), row(null)]).failed).toEqual([]);
});

test('a plan of either side above the bound is listed, one that equals it is not', () => {
  const above = { ...row(0), boundBps: { truefill: 0.4, router: -0.02 } };
  const { aboveBound, bound } = summarize([above, { ...row(0), boundBps: { truefill: 0, router: null } }, row(0)]);
  expect(aboveBound).toEqual([above]);
  expect(bound).toEqual({ medianBps: 0, p90Bps: 0, maxBps: 2 });
});

test('the distance counts each order once, if it loses less than a tenth of its value, and is zero where truefill pays more', () => {
  const of = (about: string, differenceBps: number, lostPart = 0.01) => ({ ...row(differenceBps), about, lostPart });
  const rows = [of('a', -0.4), of('a', 3), of('b', 7), of('c', -90, 0.1), of('d', -2, 0.09)];
  expect(summarize(rows).distance).toEqual({ orders: 3, p90Bps: 0.4, maxBps: 2 });
});
