import { expect, test } from 'vitest';
import type { Comparison } from './comparison.ts';
import { summarize } from './summarize.ts';

const side = { received: '1', gasUsed: 100_000, net: 1, legs: [] };
const row = (differenceBps: number | null, split?: { differenceBps: number; gainBps: number }): Comparison => ({
  market: 'v2 and v3',
  effort: 'default',
  kind: 'deep',
  usd: 500,
  about: '500 USD of WETH to USDC',
  differenceBps,
  truefill: side,
  router: side,
  split: split && { ...side, ...split },
});

test.each([
  ['matches the router and gains 5 bps', { differenceBps: -0.9, gainBps: 5 }, true],
  ['gains more than 5 bps', { differenceBps: 2, gainBps: 5.1 }, false],
  ['is over 1 bp below the router too', { differenceBps: -1.1, gainBps: 2 }, false],
  ['does not exist', undefined, false],
] as const)('an answer below the router whose split %s', (_, split, isHeld) => {
  const { held, failed } = summarize([row(-3, split)]);
  expect([held.length, failed.length]).toEqual(isHeld ? [1, 0] : [0, 1]);
});

test('an answer within 1 bp, or without a plan of the router, is not below', () => {
  const { held, failed } = summarize([row(-1), row(12), row(null)]);
  expect([...held, ...failed]).toEqual([]);
});
