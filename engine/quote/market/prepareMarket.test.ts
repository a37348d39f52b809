import type { Hex } from 'viem';
import { expect, test } from 'vitest';
import type { ScriptedPool } from '../../../tests/support/engine/scriptedLenses.ts';
import { scriptedMarket, scriptedPool } from '../../../tests/support/engine/scriptedMarket.ts';
import { pairState, poolOf, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { addressOf, tokenA, tokenB, tokenC } from '../../../tests/support/engine/testProbe.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import type { OrderSize } from '../query/sizeOrder.ts';
import { toQuoteQuery } from '../query/toQuoteQuery.ts';
import { prepareMarket, prepareProof, searchUnlessSame, toOrder, worthIn, worthOf } from './prepareMarket.ts';
import { readMarket } from './readMarket.ts';

const unit = 10n ** 18n;
const pool = scriptedPool('1');
const viaC = [scriptedPool('2', [tokenA, tokenC]), scriptedPool('3', [tokenC, tokenB])];
const queryOf = (amount: string) =>
  toQuoteQuery({ chain: 'base', tokenIn: tokenA, tokenOut: tokenB, size: { tokenIn: amount } });

/** A market whose calls the test sends, as a caller with a batch of its own does. */
function marketOf(pools: ScriptedPool[], options: Partial<Parameters<typeof scriptedMarket>[0]> = {}) {
  const scripted = scriptedMarket({ pools, ...options });
  const { data, newNode } = scripted;
  const prepare = async (amount = '10') => {
    const node = newNode();
    const prepared = await prepareMarket(data, queryOf(amount), node, 'latest');
    const answers = await data.lens.readLenses(node, prepared.requests);
    return { ...prepared, answers, node };
  };
  /** A read, and the proof of its plan. */
  const prove = async (amount = '10') => {
    const { read, answers, node } = await prepare(amount);
    const market = await read(answers, node);
    const proof = await prepareProof(data, queryOf(amount), market, node);
    const proven = proof.requests.length > 0 ? await data.lens.readLenses(node, proof.requests) : [];
    return { market, proof, after: proof.read(proven) };
  };
  return { ...scripted, prepare, prove };
}

test('the states of a new market come with the executions of the routes that were tried', async () => {
  const { prepare, paidBy } = marketOf([pool]);
  const { read, requests, answers, node } = await prepare();
  const { done, isKnown, predicted, read: market } = await read(answers, node);
  expect(requests).toHaveLength(1);
  expect(done.map(({ run }) => run.received)).toEqual([paidBy(pool, tokenA, 10n * unit)]);
  expect([isKnown, predicted]).toEqual([false, undefined]);
  expect(market.states.pools.map(({ ref }) => ref.id)).toEqual([pool.id]);
});

test('an execution without an answer counts as not executed', async () => {
  const { prepare, data, newNode, paidBy } = marketOf([pool]);
  await readMarket(data, queryOf('10'), newNode());
  const { read, answers, node, requests } = await prepare();
  expect(requests).toHaveLength(2);
  const [probe, states] = answers as [Hex, Hex];
  const with_ = await read([probe, states], node);
  expect(with_.done.map(({ run }) => run.received)).toEqual([paidBy(pool, tokenA, 10n * unit)]);
  expect(with_.isKnown).toBe(true);
  expect(with_.predicted?.order.amountIn).toBe(10n * unit);
  expect((await read([undefined, states], node)).done).toEqual([]);
});

test('an execution by an account that did not hold the token does not count', async () => {
  const { prepare, data, newNode, state } = marketOf([pool]);
  await readMarket(data, queryOf('10'), newNode());
  state.isFunded = false;
  const { read, answers, node } = await prepare();
  expect((await read(answers, node)).done).toEqual([]);
});

test('an execution at another block than that of the states does not count', async () => {
  const { prepare, data, newNode, state } = marketOf([pool]);
  await readMarket(data, queryOf('10'), newNode());
  const early = await prepare();
  state.number += 1n;
  const late = await prepare();
  const answers = [early.answers[0], late.answers[1]];
  expect((await late.read(answers, late.node)).done).toEqual([]);
  expect((await late.read(late.answers, late.node)).done).toHaveLength(1);
});

test('an execution over a pool that the states no longer contain does not count', async () => {
  const { prepare, data, newNode, state } = marketOf([pool, ...viaC]);
  await readMarket(data, queryOf('10'), newNode());
  const before = await prepare();
  state.pools = viaC;
  const after = await prepare();
  const { done } = await after.read([before.answers[0], after.answers.at(-1)], after.node);
  expect(done.flatMap(({ plan }) => plan.legs.map(({ pool: { id } }) => id))).not.toContain(pool.id);
});

test('a proof executes the plans that the first request did not', async () => {
  const { prove, paidBy } = marketOf(viaC);
  const { market, proof, after } = await prove();
  const [first, second] = viaC as [ScriptedPool, ScriptedPool];
  expect(market.done).toEqual([]);
  expect(proof.requests).toHaveLength(1);
  expect(proof.requests[0]?.block).toBe('0x10');
  const received = paidBy(second, tokenC, paidBy(first, tokenA, 10n * unit));
  expect(after.done.map(({ run }) => run.received)).toEqual([received]);
  expect(after.predicted?.result.best?.amountOut).toBe(received);
});

test('a proof needs no request if the plan was executed', async () => {
  const { market, proof, after } = await marketOf([pool]).prove();
  expect(proof.requests).toEqual([]);
  expect(after.done).toBe(market.done);
  expect(after.predicted?.result.best?.plan.legs[0]?.pool.id).toBe(pool.id);
});

test.each([
  ['there is no amount', '0', {}],
  ['the token cannot be funded', '10', { funding: 'unknown' as const }],
  ['it is not known how to fund the token', '10', { funding: 'none' as const }],
])('no plan is executed beside the states if %s', async (_name, amount, options) => {
  const { market, proof, after } = await marketOf([pool], options).prove(amount);
  expect([market.done, proof.requests]).toEqual([[], []]);
  expect(after).toBe(market);
});

const tokens = [tokenA, tokenB].map((address) => ({ address, supply: 100n }));
const sizeOf = (amountIn: bigint) => ({ amountIn }) as OrderSize;

test.each([
  ['no amount', 0n, tokens, undefined],
  ['the whole supply', 100n, tokens, 100n],
  ['more than the supply', 101n, tokens, undefined],
  ['any amount of an unread supply', 101n, [{ address: tokenA, supply: 0n }, tokens[1]], 101n],
  ['a token without the other one', 1n, tokens.slice(0, 1), undefined],
])('the order of %s', (_name, amountIn, sides, expected) => {
  const order = toOrder({ tokens: sides } as unknown as StateReading, sizeOf(amountIn));
  expect(order).toEqual(expected && { tokenIn: tokenA, tokenOut: tokenB, amountIn: expected });
});

/** States as the engine decodes them, of tokens with a routing asset. */
async function statesOf(pools: ScriptedPool[]) {
  const { data, newNode } = scriptedMarket({ pools });
  const { states } = await readMarket(data, queryOf('10'), newNode());
  return { data, states };
}

test('the worth of an order is rounded down to its two highest binary digits, in each listed token', async () => {
  const { data, states } = await statesOf([pool, ...viaC]);
  const order = { tokenIn: tokenA, tokenOut: tokenB, amountIn: 0b1011n };
  // 11 of the token sold are 8 in two digits, which pay 15.9 of the others.
  expect([...worthIn(data, states, order)]).toEqual([
    [tokenA, 8n],
    [tokenB, 24n],
    [tokenC, 12n],
  ]);
  expect(worthIn(data, states, { ...order, amountIn: 1n }).get(tokenA)).toBe(1n);
  expect(worthIn(data, states, { ...order, amountIn: 7n }).get(tokenA)).toBe(6n);
});

test('the worth of an order does not depend on pools of unlisted tokens', async () => {
  const { data, states } = await statesOf([pool]);
  const [known] = states.pools;
  if (!known) throw new RangeError('The pool was not read.');
  const unlisted = addressOf('e');
  const order = { tokenIn: tokenA, tokenOut: tokenB, amountIn: 1_000n };
  const worth = worthIn(data, states, order);
  for (const [token0, token1] of [
    [tokenB, unlisted],
    [tokenA, unlisted],
    [unlisted, tokenB],
  ] as const) {
    const pools = [...states.pools, { ...known, ref: { ...known.ref, token0, token1 } }];
    expect(worthIn(data, { ...states, pools }, order)).toEqual(worth);
  }
});

test('a search is reused for the same order over the same pools, while the base fee changes by at most an eighth', async () => {
  const { data, states } = await statesOf([pool]);
  const at = (baseFee: bigint): StateReading => ({ ...states, block: { ...states.block, baseFee } });
  const order = { tokenIn: tokenA, tokenOut: tokenB, amountIn: 10n * unit };
  const last = searchUnlessSame(data, at(800n), order);
  expect(last.result.best?.plan.legs[0]?.pool.id).toBe(pool.id);
  const isReused = (baseFee: bigint, more: Partial<StateReading> = {}, amountIn = order.amountIn) =>
    searchUnlessSame(data, { ...at(baseFee), ...more }, { ...order, amountIn }, last) === last;
  expect([700n, 800n, 900n].map((fee) => isReused(fee))).toEqual([true, true, true]);
  expect([699n, 901n].map((fee) => isReused(fee))).toEqual([false, false]);
  expect(isReused(800n, {}, order.amountIn + 1n)).toBe(false);
  expect(isReused(800n, { pools: [...states.pools] })).toBe(false);
});

const { WETH, USDC, DAI, LT } = testTokens;
const addresses = [LT, USDC, WETH, DAI].map(({ address }) => address);
const pools = [
  poolOf(pairState(LT, WETH, 50_000, 0, 3000), LT, WETH),
  poolOf(pairState(LT, WETH, 2, 5000, 3000), LT, WETH),
  poolOf(pairState(WETH, USDC, 1_000_000, 0, 500), WETH, USDC),
];

test('returns the output of the order in one pool, directly or over one token', () => {
  const amountIn = 100_000n * 10n ** 18n;
  const worth = worthOf({ tokenIn: LT.address, amountIn }, addresses, pools);
  expect(worth.get(LT.address)).toBe(amountIn);
  // 3,700 USD into 50,000 USD a side: 7 % below the mid.
  expect((Number(worth.get(WETH.address)) / 1e18) * 3200).toBeCloseTo(3435.4, 0);
  expect(Number(worth.get(USDC.address)) / 1e6).toBeCloseTo(3422, 0);
});

test('never returns more than the market holds', () => {
  const worth = worthOf({ tokenIn: LT.address, amountIn: 10n ** 40n }, addresses, pools);
  expect((Number(worth.get(WETH.address)) / 1e18) * 3200).toBeLessThan(50_001);
});

test('omits a token without a price', () => {
  const worth = worthOf({ tokenIn: LT.address, amountIn: 10n ** 18n }, addresses, pools);
  expect(worth.has(DAI.address)).toBe(false);
});
