import { describe, expect, test } from 'vitest';
import { pairState, poolOf as testPoolOf, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { unitsOf } from '../../../tests/support/engine/testQuery.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { toCandidatePools } from '../../venues/families.ts';
import { kinds } from '../../venues/kinds.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import type { Plan } from '../search/planTypes.ts';
import type { SearchResult } from '../search/searchPlan.ts';
import { choosePlan } from './choosePlan.ts';
import type { PlanExecution, PlanRun } from './executionTypes.ts';

// The depth of the answer: computed by the search, or proven by the second execution.

const [tokenIn, tokenOut] = ['0x01', '0x02'] as const;
const poolOf = (kind: number): PoolRef => {
  const candidatePool = toCandidatePools(deployments.base.venues).find((each) => each.kind === kind) as CandidatePool;
  return { candidatePool, id: '0x0a', token0: tokenIn, token1: tokenOut };
};
const order = { tokenIn, tokenOut, amountIn: 1_000n };
const planOver = (kind: number): Plan => ({
  ...order,
  legs: [{ pool: poolOf(kind), tokenIn, tokenOut, shareBps: 10_000 }],
});
const plan = planOver(kinds.v3);

const runOf = (received: bigint): PlanRun => ({
  status: 'filled',
  failedLeg: undefined,
  reason: '0x00000000',
  received,
  gas: 100_000n,
  legs: [{ amountIn: 1_000n, arrived: 1_000n, nominal: received, amountOut: received }],
});

interface Market {
  second?: bigint;
  depth?: bigint;
  opaque?: Plan[];
  isPartial?: boolean;
  kind?: number;
  isLowerBound?: boolean;
}

/** Chooses among one plan that pays 5,000 for 1,000. */
function chosenIn({
  second = 4_000n,
  depth = 1_000n,
  opaque = [],
  isPartial = false,
  kind = kinds.v3,
  isLowerBound = false,
}: Market) {
  const chosen = planOver(kind);
  const execution: PlanExecution = { plan: chosen, run: runOf(5_000n), again: runOf(second) };
  const best = { plan: chosen, legs: [], amountOut: 5_000n, gas: 100_000n };
  const result: SearchResult = {
    best,
    depthBelow: () => ({ size: depth, isLowerBound }),
    opaque,
    samples: [],
    needsTicks: false,
  };
  const rounds = [{ result, executions: [execution], funded: true }];
  return choosePlan({ rounds, pools: [], isPartial, isTaxed: false, gasPrice: undefined }, order);
}

test.each([
  ['is twice the order if a second one pays 2 % less', 4_900n, 1_000n, 2_000n],
  ['is not proven by a second order that pays more than 2 % less', 4_899n, 1_000n, 1_000n],
  ['is the computed one if that is larger', 4_900n, 7_000n, 7_000n],
  ['is the computed one if the second order pays less', 4_899n, 1_500n, 1_500n],
])('the depth %s', (_, second, depth, expected) => {
  expect(chosenIn({ second, depth }).depth).toBe(expected);
});

test.each([kinds.v2, kinds.solidly])(
  'the depth is not proven by a second order at a pair of kind %i, which may take tokens of others',
  (kind) => {
    expect(chosenIn({ second: 5_000n, depth: 1_500n, kind }).depth).toBe(1_500n);
  },
);

test('a split that pays more is not chosen if its gas costs more than that', () => {
  const splitOver = (shareBps: number): Plan => ({
    ...plan,
    legs: [...plan.legs.map((leg) => ({ ...leg, shareBps })), ...plan.legs],
  });
  const [cheap, costly] = [splitOver(5_000), splitOver(4_000)];
  const executionOf = (executed: Plan, received: bigint, gas: bigint): PlanExecution => {
    const [leg] = runOf(received / 2n).legs as [PlanRun['legs'][number]];
    const legs = executed.legs.length === 1 ? runOf(received).legs : [leg, leg];
    return { plan: executed, run: { ...runOf(received), gas, legs }, again: undefined };
  };
  const executions = [
    executionOf(plan, 1_000_000n, 100_000n),
    executionOf(cheap, 1_010_000n, 200_000n),
    executionOf(costly, 1_010_200n, 1_000_000n),
  ];
  const depthBelow = () => ({ size: 1_000n, isLowerBound: false });
  const result: SearchResult = { depthBelow, opaque: [], samples: [], needsTicks: false };
  const evidence = { rounds: [{ result, executions, funded: true }], pools: [], isPartial: false, isTaxed: false };
  const chosenAt = (gasPrice: number) => choosePlan({ ...evidence, gasPrice }, order).best?.plan;
  expect(chosenAt(0)).toBe(costly);
  expect(chosenAt(0.001)).toBe(cheap);
  expect(chosenAt(0.02)).toBe(cheap);
  expect(chosenAt(1)).toBe(plan);
});

describe('the depth is a lower bound', () => {
  test.each([
    ['only for a reason', {}, false],
    ['if the search for it ended early', { isLowerBound: true }, true],
    ['if executions contradict a pool', { isPartial: true }, true],
    ['if a route over a pool without maths may pay more', { opaque: [plan] }, true],
  ])('%s', (_, market, expected) => {
    expect(chosenIn(market).isDepthLowerBound).toBe(expected);
  });
});

describe('the mid of a token with a tax on', () => {
  const { LT, USDC } = testTokens;
  const used = testPoolOf(pairState(LT, USDC, 1_000_000, 0, 0), LT, USDC);
  // Its price is 3 % too low: the price of the fill excludes it, and a price after a tax of 5 % would not.
  const tooLow = testPoolOf(pairState(LT, USDC, 90_000_000, -300, 0), LT, USDC);
  const taxed = { tokenIn: LT.address, tokenOut: USDC.address, amountIn: unitsOf(1_000, LT) };
  const part = (amount: bigint, taxBps: bigint) => (amount * (10_000n - taxBps)) / 10_000n;

  /** The executed route over one of the pools, at the market price of what arrives. */
  function executionOver({ ref }: typeof used, sellTaxBps: bigint, buyTaxBps: bigint): PlanExecution {
    const arrived = part(taxed.amountIn, sellTaxBps);
    const nominal = part(unitsOf(1_000, USDC), sellTaxBps);
    const received = part(nominal, buyTaxBps);
    const run: PlanRun = {
      ...runOf(received),
      legs: [{ amountIn: taxed.amountIn, arrived, nominal, amountOut: received }],
    };
    const legs = [{ pool: ref, tokenIn: LT.address, tokenOut: USDC.address, shareBps: 10_000 }];
    return { plan: { ...taxed, legs }, run, again: undefined };
  }

  test.each([
    ['sales', 500n, 0n],
    ['purchases', 0n, 500n],
  ])('%s uses the amounts at the pool', (_, sellTaxBps, buyTaxBps) => {
    const executions = [used, tooLow].map((pool) => executionOver(pool, sellTaxBps, buyTaxBps));
    const result: SearchResult = {
      depthBelow: () => ({ size: 0n, isLowerBound: false }),
      opaque: [],
      samples: [],
      needsTicks: false,
    };
    const rounds = [{ result, executions, funded: true }];
    const evidence = { rounds, pools: [used, tooLow], isPartial: false, isTaxed: true, gasPrice: undefined };
    const market = (LT.usd / USDC.usd) * 10 ** (USDC.decimals - LT.decimals);
    expect((choosePlan(evidence, taxed).mid ?? 0) / market).toBeCloseTo(1, 4);
  });
});
