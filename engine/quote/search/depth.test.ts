import { expect, test } from 'vitest';
import type { PoolState } from '../../venues/poolTypes.ts';
import { depthOf } from './depth.ts';
import { statesOf } from './fillPlan.ts';
import type { FilledPlan } from './planTypes.ts';
import { flowOf, type TestLeg } from './testFlow.ts';
import { testTokens } from './testMarket.ts';

const { LT, USDC } = testTokens;

const answerOf = (split: FilledPlan) => split;

/** Depth of an order that pays `amountOut` over these legs; `state` replaces the exact state of every pool. */
function depthOver(legs: readonly TestLeg[], amountIn: number, amountOut: bigint, state?: PoolState): bigint {
  const order = { tokenIn: LT.address, tokenOut: USDC.address, amountIn: BigInt(amountIn), answerOf };
  const flow = flowOf(legs, amountIn);
  const states = statesOf(flow.graph.edges.map(({ pool }) => (state ? { ...pool, state } : pool)));
  return depthOf(order, amountOut, flow, states);
}

const pair = (reserve0: bigint, reserve1: bigint): PoolState => ({
  kind: 'pair',
  rule: 'uniswap-v2',
  reserve0,
  reserve1,
  feePips: [0, 0],
});
/** Pays 1 for each unit, up to `most` units. */
const straight = (most: number): TestLeg => ({ depth: 1e30, most, share: 1 });

test('the depth of two pools lies at most 4 % below the amount whose price is 1 % lower', () => {
  // Together they are one pair of 4e9: an amount s is paid 4e9 / (4e9 + s).
  const legs = [
    { depth: 1e9, share: 0.25 },
    { depth: 3e9, share: 0.75 },
  ];
  const exact = (4e9 + 1e6) / 0.99 - 4e9;
  const depth = Number(depthOver(legs, 1e6, 999_750n));
  expect(depth).toBeLessThanOrEqual(exact * 1.000_01);
  expect(depth).toBeGreaterThan((exact / 1.04) * 0.998);
});

test('an order that no split takes has its own amount as depth', () => {
  const order = { tokenIn: LT.address, tokenOut: USDC.address, amountIn: 700n, answerOf };
  expect(depthOf(order, 690n, undefined, new Map())).toBe(700n);
});

test('an order that cannot grow has its own amount as depth', () => {
  expect(depthOver([straight(1000)], 1000, 999n)).toBe(1000n);
});

test('the order doubles at most 60 times', () => {
  const depth = depthOver([{ depth: 5e33, most: 1e40, share: 1 }], 1000, 999n);
  expect(depth).toBe(BigInt(Math.floor(1000 * 2 ** 60 * 0.999)));
});

test('halves the distance to an amount that no route takes, until it is within 4 %', () => {
  // 2000 fails, 1500 fits; 1750, 1625, 1562.5 and 1531.25 fail. A thousandth below 1500 is left as a margin.
  expect(depthOver([straight(1500)], 1000, 999n)).toBe(1498n);
});

test.each([
  { reserve1: 9_890_100n, depth: 99_900n, why: '99,900 units are paid 98,901, exactly 1 % less' },
  { reserve1: 9_890_099n, depth: 99_000n, why: '99,900 units are paid 98,900; 99,000 are paid enough' },
  { reserve1: 9_887_000n, depth: 95_000n, why: '99,000 units are paid 97,988; 95,000 are paid 94,066' },
  { reserve1: 9_000_000n, depth: 50_000n, why: 'no tried amount is paid enough' },
])('counts $depth units if exact swaps confirm no more: $why', ({ reserve1, depth }) => {
  // The curve takes 100,000 units at a price of 1, so that exact swaps alone decide.
  expect(depthOver([straight(100_000)], 50_000, 50_000n, pair(9_890_100n, reserve1))).toBe(depth);
});

test('a split counts only if the quote of its amount pays enough', () => {
  const legs = [
    { depth: 1e9, share: 0.25 },
    { depth: 3e9, share: 0.75 },
  ];
  const order = { tokenIn: LT.address, tokenOut: USDC.address, amountIn: 1_000_000n };
  const flow = flowOf(legs, 1e6);
  const states = statesOf(flow.graph.edges.map(({ pool }) => pool));
  const depthWith = (lessBps: bigint) => {
    const singleOf = (split: FilledPlan) => ({
      ...split,
      amountOut: (split.amountOut * (10_000n - lessBps)) / 10_000n,
    });
    return Number(depthOf({ ...order, answerOf: singleOf }, 999_750n, flow, states));
  };
  const most = depthWith(0n);
  expect(depthWith(4n)).toBeLessThan(most);
  expect(depthWith(4n)).toBeGreaterThan(most * 0.9);
  expect(depthWith(200n)).toBe(1_000_000);
});
