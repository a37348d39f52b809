import { expect, test } from 'vitest';
import { opaqueModel, toOpaquePair, toOpaqueRange } from './opaque.ts';

const entry = { first: 11n, second: 12n, third: 21n, fourth: 31n, feePips: [500, 500] } as const;

test('a pair is bounded by its balances', () => {
  expect(toOpaquePair(entry)).toEqual({ kind: 'opaque', reason: 'unknown-curve', balance0: 11n, balance1: 12n });
});

test('a concentrated pool has its price, its liquidity, its fee and its balances', () => {
  expect(toOpaqueRange('plugin')(entry)).toEqual({
    kind: 'opaque',
    reason: 'plugin',
    sqrtPriceX96: 11n,
    liquidity: 12n,
    balance0: 20n,
    balance1: 30n,
    feePips: 500,
  });
});

test('a balance that may be unread, and a fee of 0, are undefined', () => {
  const toState = toOpaqueRange('hook');
  for (const unread of [0n, 1n]) {
    expect(toState({ ...entry, third: unread })).toMatchObject({ balance0: undefined, balance1: 30n });
    expect(toState({ ...entry, fourth: unread })).toMatchObject({ balance0: 20n, balance1: undefined });
  }
  expect(toState({ ...entry, third: 2n, fourth: 2n })).toMatchObject({ balance0: 1n, balance1: 1n });
  expect(toState({ ...entry, feePips: [0, 0] }).feePips).toBeUndefined();
});

test('an opaque pool has no computed output, price or depth', () => {
  const state = toOpaqueRange('hook')(entry);
  expect(opaqueModel.swap(state, true, 1n)).toBeUndefined();
  expect(opaqueModel.price(state, true)).toBeUndefined();
  expect(opaqueModel.depth(state, true)).toBe(0n);
  expect(opaqueModel.curve(state, true)).toBeUndefined();
});
