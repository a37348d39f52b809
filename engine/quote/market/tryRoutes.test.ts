import { expect, test } from 'vitest';
import { scriptedMarket } from '../../../tests/support/engine/scriptedMarket.ts';
import {
  addressOf,
  type Probe,
  poolOf,
  probeAnswer,
  type RunOf,
  tokenA,
  tokenB,
  tokenC,
  zeroAccount,
} from '../../../tests/support/engine/testProbe.ts';
import { kinds } from '../../venues/kinds.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import { createFundingMemory, type Funding } from '../funding/fundingMemory.ts';
import { toQuoteQuery } from '../query/toQuoteQuery.ts';
import { decodeTrial, prepareTrial } from './tryRoutes.ts';

const unit = 10n ** 18n;
const { data, newNode, state } = scriptedMarket({ pools: [] });
const layout = data.funding.get(tokenA) as Funding;
const queryOf = (amount: string) =>
  toQuoteQuery({ chain: 'base', tokenIn: tokenA, tokenOut: tokenB, size: { tokenIn: amount } });

/** The trial of a sale, with this funding of the token sold. */
function prepare(amount: string, funding: Parameters<typeof data.funding.set>[1] | undefined = layout, idleMs = 0) {
  const memory = createFundingMemory(() => 0);
  if (funding !== undefined) memory.set(tokenA, funding);
  state.idleMs = idleMs;
  return prepareTrial({ ...data, funding: memory }, queryOf(amount), newNode());
}

test('a trial funds two new accounts with the amount, and places the plan lens at a new address', async () => {
  const prepared = await prepare('1.5');
  const { trial, accounts, parties } = prepared ?? {};
  expect(trial?.amount).toBe(15n * 10n ** 17n);
  expect(trial?.payer).toBe(parties?.trader);
  expect(new Set([trial?.payer, trial?.secondPayer, trial?.lens, parties?.lens]).size).toBe(4);
  expect(accounts?.[trial?.lens ?? '0x']?.code?.length).toBeGreaterThan(1_000);
  // A balance and an allowance of each account.
  expect(Object.keys(accounts?.[tokenA]?.stateDiff ?? {})).toHaveLength(4);
});

test.each<[string, string, Parameters<typeof data.funding.set>[1] | undefined, number]>([
  ['the storage layout was never read', '1', undefined, 0],
  ['the token cannot be funded', '1', 'unknown', 0],
  ['the amount is zero', '0', layout, 0],
  ['the amount exceeds the supply', '11', { ...layout, supply: 10n * unit }, 0],
  ['the balances are found by position only', '1', { ...layout, balances: { contract: tokenA, position: 0 } }, 0],
  ['the allowances are found by position only', '1', { ...layout, allowances: { contract: tokenA, position: 0 } }, 0],
  [
    'a source sends the tokens',
    '1',
    { decimals: 18, supply: 0n, source: { account: tokenC, way: 'transfer', sent: 1n, received: 1n } },
    0,
  ],
  ['the connection was idle for over a second', '1', layout, 1_001],
])('no route is tried if %s', async (_name, amount, funding, idleMs) => {
  if (funding === undefined) {
    const without = { ...data, funding: createFundingMemory(() => 0) };
    expect(await prepareTrial(without, queryOf(amount), newNode())).toBeUndefined();
  } else expect(await prepare(amount, funding, idleMs)).toBeUndefined();
});

test('no route is tried for a size in USD', async () => {
  const query = toQuoteQuery({ chain: 'base', tokenIn: tokenA, tokenOut: tokenB, size: { usd: '1' } });
  expect(await prepareTrial(data, query, newNode())).toBeUndefined();
});

test.each([
  ['the whole supply', '10', 10n * unit],
  ['an unread supply', '10', 0n],
])('a sale of %s is tried', async (_name, amount, supply) => {
  expect((await prepare(amount, { ...layout, supply }))?.trial.amount).toBe(10n * unit);
});

const trial = { lens: addressOf('8'), amount: 100n, payer: addressOf('5'), secondPayer: addressOf('6') };
const [direct, thin] = [poolOf(addressOf('1')), poolOf(addressOf('2'))];
const hops = [poolOf(addressOf('3'), [tokenA, tokenC]), poolOf(addressOf('4'), [tokenC, tokenB])];
// The lowest bits of a hook's address are its permissions: 0x80 is before a swap.
const hooks = `0x${'0'.repeat(38)}80` as const;
const hooked = poolOf(addressOf('7'), [tokenA, tokenB], {
  family: 'uniswap-v4',
  kind: kinds.v4,
  hooks: hooks as never,
});

/** The executions that these routes show, if the lens executes the routes at `twice` a second time. */
function decode(routes: PoolRef[][], twice: readonly number[], runOf: RunOf, funded = true) {
  const orders = routes.map((pools, index): Probe['orders'][number] => ({
    ...{ amountIn: 100n, payer: trial.payer, gasCap: 0n },
    secondPayer: twice.includes(index) ? trial.secondPayer : zeroAccount,
    legs: pools.map(({ id }) => ({
      ...{ kind: 0n, pool: id as never, shareBps: 10_000n, tokenIn: tokenA, tokenOut: tokenB },
    })),
  }));
  const words = probeAnswer({ to: trial.lens, isPlaced: true, slots: 0, orders }, runOf, { funded });
  return decodeTrial(data, queryOf('100'), trial, { routes, words });
}
const filled: RunOf = () => ({ status: 1, received: 90n });

test('each filled route is an execution of a warm plan, with its tokens in the order of the legs', () => {
  const executions = decode([[direct], hops], [0], filled);
  expect(executions.map(({ isWarm, again }) => [isWarm, again?.status])).toEqual([
    [true, 'filled'],
    [true, undefined],
  ]);
  expect(executions.map(({ plan }) => plan)).toEqual([
    {
      ...{ tokenIn: tokenA, tokenOut: tokenB, amountIn: 100n },
      legs: [{ pool: direct, tokenIn: tokenA, tokenOut: tokenB, shareBps: 10_000 }],
    },
    {
      ...{ tokenIn: tokenA, tokenOut: tokenB, amountIn: 100n },
      legs: [
        { pool: hops[0], tokenIn: tokenA, tokenOut: tokenC, shareBps: 10_000 },
        { pool: hops[1], tokenIn: tokenC, tokenOut: tokenB, shareBps: 10_000 },
      ],
    },
  ]);
  expect(executions[0]).not.toHaveProperty('byExecutor');
});

test('routes over a pool with a hook on swaps are executed twice', () => {
  const executions = decode([[direct], [hooked]], [0, 1], filled);
  expect(executions.map(({ again }) => again?.status)).toEqual(['filled', 'filled']);
});

test('a route that did not fill, at once or again, counts as not executed', () => {
  const failing: RunOf = (order, _probe, isSecond) => ({
    status: order.legs[0]?.pool === thin?.id || isSecond ? 3 : 1,
    received: 90n,
  });
  expect(decode([[direct], [thin]], [0], failing)).toEqual([]);
  const once: RunOf = (order) => ({ status: order.legs[0]?.pool === thin?.id ? 3 : 1, received: 90n });
  expect(decode([[direct], [thin]], [0], once).map(({ plan }) => plan.legs[0]?.pool)).toEqual([direct]);
});

test('no route counts if the account did not hold the token, or the lens did not answer', () => {
  expect(decode([[direct]], [0], filled, false)).toEqual([]);
  expect(decodeTrial(data, queryOf('100'), trial, { routes: [[direct]], words: '0x' })).toEqual([]);
});
