import { expect, test } from 'vitest';
import type { PoolState } from '../venues/poolTypes.ts';
import { spacingOf } from './poolLocations.ts';

const feePips = [500, 500] as const;
const stable = (unit0: bigint, unit1: bigint): PoolState => ({
  kind: 'stable',
  rule: 'solidly',
  reserve0: 10n ** 24n,
  reserve1: 10n ** 12n,
  feePips,
  unit0,
  unit1,
});

const concentrated = {
  ...{ kind: 'concentrated', rule: 'uniswap-v3', sqrtPriceX96: 2n ** 96n, tick: 0, liquidity: 1n, tickSpacing: 60 },
  ...{ feePips, ticks: [], knownFrom: 0, knownTo: 0 },
} as const satisfies PoolState;

test.each([
  ['the tick spacing of a concentrated pool', concentrated, 60],
  ['the decimals of both tokens of a stable pair', stable(10n ** 18n, 10n ** 6n), 0x0612],
  ['nothing, if a stable pair reports no power of ten', stable(10n ** 18n, 999_999n), undefined],
  ['nothing, if no token of a stable pair has decimals, because 0 means unknown', stable(1n, 1n), 0],
  ['nothing of a pair', { kind: 'pair', rule: 'solidly', reserve0: 1n, reserve1: 1n, feePips }, undefined],
] as const)('a later call contains %s', (_, state, spacing) => {
  expect(spacingOf(state)).toBe(spacing);
});
