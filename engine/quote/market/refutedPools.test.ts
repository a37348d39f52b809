import { expect, test } from 'vitest';
import { pairState, poolOf, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { unitsOf } from '../../../tests/support/engine/testQuery.ts';
import { toLowerAddress } from '../../lowerAddress.ts';
import { swap } from '../../venues/models.ts';
import type { PlanExecution, PlanRun } from '../plan/executionTypes.ts';
import { hasRefuted, isRefuted, refutedBy, undoubted } from './refutedPools.ts';

const { LT, USDC, WETH, AERO } = testTokens;
const direct = poolOf(pairState(LT, USDC, 1_000_000, 0, 3_000), LT, USDC);
const other = poolOf(pairState(LT, USDC, 500_000, 0, 3_000), LT, USDC);
const toAero = poolOf(pairState(LT, AERO, 1_000_000, 0, 3_000), LT, AERO);
const fromAero = poolOf(pairState(AERO, USDC, 1_000_000, 0, 3_000), AERO, USDC);
const pools = [direct, other, toAero, fromAero];
/** AERO is unlisted here. */
const listed = new Set([LT.address, USDC.address, WETH.address]);
const amountIn = unitsOf(1_000, LT);
type Pool = (typeof pools)[number];

/** The execution of a route that sells LT, with the amounts that the states give. */
function executionOf(route: readonly Pool[], change: (run: PlanRun) => Partial<PlanRun> = () => ({})): PlanExecution {
  let token = LT.address;
  let amount = amountIn;
  const steps = route.map(({ ref, state }) => {
    const tokenIn = token;
    token = ref.token0 === tokenIn ? ref.token1 : ref.token0;
    const amountOut = swap(state, tokenIn === ref.token0, amount)?.amountOut ?? 0n;
    const moved = { amountIn: amount, arrived: amount, nominal: amountOut, amountOut };
    amount = amountOut;
    return { leg: { pool: ref, tokenIn, tokenOut: token, shareBps: 10_000 }, moved };
  });
  const run: PlanRun = {
    ...{ status: 'filled', failedLeg: undefined, reason: '0x00000000', received: amount, gas: 1n },
    legs: steps.map(({ moved }) => moved),
  };
  const plan = { tokenIn: LT.address, tokenOut: token, amountIn, legs: steps.map(({ leg }) => leg) };
  return { plan, run: { ...run, ...change(run) }, again: undefined };
}
const changeLeg = (at: number, more: object) => (run: PlanRun) => ({
  legs: run.legs.map((leg, index) => (index === at ? { ...leg, ...more } : leg)),
});
const failedAt =
  (failedLeg: number | undefined, status: PlanRun['status'] = 'reverted') =>
  () => ({ status, failedLeg });
const refuted = (executions: readonly PlanExecution[], opaque: PlanExecution[] = []) => {
  const { pools: ids, tokens } = refutedBy(
    [{ result: { opaque: opaque.map(({ plan }) => plan) }, executions }],
    pools,
    listed,
  );
  return { pools: [...ids], tokens: [...tokens] };
};
const [one, aero] = [[direct], [toAero, fromAero]];

test('an execution that pays what the states give refutes nothing', () => {
  expect(refuted([executionOf(one), executionOf(aero)])).toEqual({ pools: [], tokens: [] });
});

test('a pool that sends another amount than its state gives is refuted, by a single base unit', () => {
  const { nominal = 0n } = executionOf(one).run.legs[0] ?? {};
  for (const wrong of [nominal - 1n, nominal + 1n])
    expect(refuted([executionOf(one, changeLeg(0, { nominal: wrong }))]).pools).toEqual([direct.ref.id]);
});

test('the state is compared at the amount that arrived: a tax refutes no pool', () => {
  const arrived = (amountIn * 95n) / 100n;
  const nominal = swap(direct.state, true, arrived)?.amountOut;
  expect(refuted([executionOf(one, changeLeg(0, { arrived, nominal, amountOut: nominal }))])).toEqual({
    pools: [],
    tokens: [],
  });
});

test('a failed leg refutes its pool, or its unlisted token', () => {
  for (const status of ['reverted', 'partial', 'out-of-gas'] as const) {
    expect(refuted([executionOf(one, failedAt(0, status))])).toEqual({ pools: [direct.ref.id], tokens: [] });
    expect(refuted([executionOf(aero, failedAt(1, status))])).toEqual({ pools: [], tokens: [AERO.address] });
  }
  expect(refuted([executionOf(one, failedAt(undefined))])).toEqual({ pools: [], tokens: [] });
});

test.each(['unfunded', 'not-run'] as const)('an execution that is %s refutes nothing', (status) => {
  expect(refuted([executionOf(one, failedAt(0, status))])).toEqual({ pools: [], tokens: [] });
});

test('an unlisted token that deducts a tax is refuted, on the way in or out; a listed one is not', () => {
  expect(refuted([executionOf(aero, changeLeg(0, { amountOut: 1n }))]).tokens).toEqual([AERO.address]);
  const { amountIn: sold = 0n } = executionOf(aero).run.legs[1] ?? {};
  expect(refuted([executionOf(aero, changeLeg(1, { arrived: sold - 1n }))]).tokens).toEqual([AERO.address]);
  expect(refuted([executionOf(one, changeLeg(0, { amountOut: 1n }))]).tokens).toEqual([]);
});

test('a route over a pool without maths refutes no pool, but an unlisted token', () => {
  const wrong = executionOf(one, changeLeg(0, { nominal: 1n }));
  const failed = executionOf(one, failedAt(0));
  expect(refuted([wrong, failed], [wrong])).toEqual({ pools: [], tokens: [] });
  const taxed = executionOf(aero, failedAt(0));
  expect(refuted([taxed], [taxed]).tokens).toEqual([AERO.address]);
});

test('several rounds are judged together, each by its own routes without maths', () => {
  const wrong = executionOf(one, changeLeg(0, { nominal: 1n }));
  const rounds = [
    { result: { opaque: [wrong.plan] }, executions: [wrong] },
    { result: { opaque: [] }, executions: [executionOf([other], failedAt(0))] },
  ];
  expect([...refutedBy(rounds, pools, listed).pools]).toEqual([other.ref.id]);
});

const refutedOf = (ids: readonly string[], tokens: readonly (typeof AERO.address)[] = []) => ({
  pools: new Set(ids),
  tokens: new Set(tokens),
});

test('a pool is refuted by its id or either of its tokens', () => {
  const byToken = refutedOf([], [AERO.address]);
  expect([toAero, fromAero, direct].map(({ ref }) => isRefuted(byToken, ref))).toEqual([true, true, false]);
  expect(isRefuted(refutedOf([direct.ref.id]), direct.ref)).toBe(true);
  expect([hasRefuted(refutedOf([])), hasRefuted(refutedOf(['0x1'])), hasRefuted(byToken)]).toEqual([false, true, true]);
});

test('the last search leaves out unconfirmed pools of a refuted pool’s factory', () => {
  const sibling = { ...other, ref: { ...other.ref, candidatePool: direct.ref.candidatePool } };
  const all = [direct, sibling, toAero, fromAero];
  const rest = (executions: readonly PlanExecution[]) => undoubted(refutedOf([direct.ref.id]), all, executions, listed);
  expect(rest([])).toEqual([toAero, fromAero]);
  expect(rest([executionOf([sibling])])).toEqual([sibling, toAero, fromAero]);
  expect(rest([executionOf([sibling], failedAt(0))])).toEqual([toAero, fromAero]);
});

test('the last search uses listed tokens only if one unlisted token is refuted', () => {
  const stranger = toLowerAddress(`0x${'99'.repeat(20)}`);
  expect(undoubted(refutedOf([], [stranger]), pools, [], listed)).toEqual([direct, other]);
  expect(undoubted(refutedOf([]), pools, [], listed)).toEqual(pools);
});
