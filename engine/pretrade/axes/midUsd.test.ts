import { expect, test } from 'vitest';
import { base } from '../../venues/deployments/base.ts';
import { kinds, noHooks } from '../../venues/kinds.ts';
import type { ExitPool } from '../exit/exitTypes.ts';
import type { LiquidityInput } from './liquidityTypes.ts';
import { midUsdOf } from './midUsd.ts';

const token = '0x00000000000000000000000000000000000b0b0b';
const counter = base.usdc;

/** Pairs of a token with 18 decimals, each with its price and what sales draw from it in USD. */
function midOf(pools: readonly [usdPerToken: number, drawnUsd: number][]): number | null {
  const exits = pools.map(([usdPerToken, drawnUsd]) => {
    const [price, other] = [10n ** 21n, BigInt(Math.round(usdPerToken * 1e9))];
    const exit = { kind: kinds.v2, pool: token, counter, fee: 0, tickSpacing: 0, hooks: noHooks, price, other };
    return { exit: exit as unknown as ExitPool, venue: 'uniswap-v2', drawnUsd };
  });
  const input = {
    ...{ token, slots: [], deployment: base },
    prices: new Map([[counter.toLowerCase(), { usdPerUnit: 1e-6, source: 'stable' }]]),
    reading: { decimals: 18, bases: [{ token: counter, tokenDecimals: 6 }] },
  } as unknown as LiquidityInput;
  return midUsdOf(exits, input);
}

test('is the mid of the pool with the largest exit liquidity', () => {
  expect(
    midOf([
      [2, 500],
      [2.01, 400],
      [1.99, 300],
    ]),
  ).toBeCloseTo(2, 9);
});

test('a bid at half the price does not count beside an eighth of its liquidity at the market', () => {
  expect(
    midOf([
      [1, 8_000],
      [2, 1_000],
    ]),
  ).toBeCloseTo(2, 9);
  expect(
    midOf([
      [1, 8_001],
      [2, 1_000],
    ]),
  ).toBeCloseTo(1, 9);
});

test('is null without a priced pool', () => {
  expect(midOf([])).toBeNull();
  expect(midOf([[2, 0]])).toBeNull();
});
