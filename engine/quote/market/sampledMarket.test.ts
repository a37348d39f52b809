import { expect, test } from 'vitest';
import type { ScriptedPool } from '../../../tests/support/engine/scriptedLenses.ts';
import { scriptedMarket, scriptedPool } from '../../../tests/support/engine/scriptedMarket.ts';
import { tokenA, tokenB, tokenC } from '../../../tests/support/engine/testProbe.ts';
import { toQuoteQuery } from '../query/toQuoteQuery.ts';
import { readMarket } from './readMarket.ts';

const unit = 10n ** 18n;
const pair = [tokenA, tokenB] as const;
const opaque = scriptedPool('1', pair, [1_000n, 2_000n], { isOpaque: true });
const known = scriptedPool('2', pair, [1_000n, 2_000n], { row: 1 });
const other = scriptedPool('3', pair, [1_000n, 2_000n], { isOpaque: true, row: 1 });

/** Markets of these pools, and quotes that sell 100 tokens. */
function marketOf(pools: ScriptedPool[]) {
  const scripted = scriptedMarket({ pools });
  const query = toQuoteQuery({ chain: 'base', tokenIn: tokenA, tokenOut: tokenB, size: { tokenIn: '100' } });
  const read = async () => (await readMarket(scripted.data, query, scripted.newNode())).found;
  const sampled = () => scripted.data.markets.get(query)?.search?.sampled;
  const orders = () => scripted.requests.flat().flatMap(({ probe }) => (probe ? [probe.orders] : []));
  return { ...scripted, read, sampled, orders };
}

const half = (pool: ScriptedPool) => scriptedMarket({ pools: [] }).paidBy(pool, tokenA, 50n * unit);

test('an order is split over a pool without a formula, by the curve of its samples', async () => {
  const { read, kindsSent, orders, sampled } = marketOf([opaque, known]);
  const found = await read();
  expect(found?.best?.plan.legs.map(({ pool: { id }, shareBps }) => [id, shareBps]).sort()).toEqual([
    [opaque.id, 5_000],
    [known.id, 5_000],
  ]);
  expect(found?.best?.amountOut).toBe(half(opaque) + half(known));
  expect(found?.best?.secondAmountOut).toBeDefined();
  expect(kindsSent()).toEqual([['states'], ['probe', 'probe'], ['probe']]);
  // A sixteenth, a quarter and a half of the order, each once.
  const samples = orders()[1]?.map(({ amountIn, legs }) => [amountIn, legs.length]);
  expect(samples).toEqual([16n, 4n, 2n].map((part) => [(100n * unit) / part, 1]));
  expect(sampled()).toEqual([{ plan: found?.best?.plan, isBest: true }]);
});

test('the next quote executes the split beside the states, in one request', async () => {
  const { read, kindsSent, orders } = marketOf([opaque, known]);
  const first = await read();
  const before = kindsSent().length;
  const second = await read();
  expect(second?.best?.amountOut).toBe(first?.best?.amountOut);
  expect(kindsSent().slice(before)).toEqual([['probe', 'probe', 'known states']]);
  const split = orders()
    .slice(3)
    .flat()
    .find(({ legs }) => legs.length === 2);
  expect(BigInt(split?.secondPayer ?? 0)).not.toBe(0n);
});

test('an order is split over two pools without a formula', async () => {
  const { read } = marketOf([opaque, other]);
  const found = await read();
  expect(found?.best?.plan.legs).toHaveLength(2);
  expect(Number(found?.best?.amountOut)).toBeGreaterThan(0.999 * Number(half(opaque) + half(other)));
  expect(found?.isDepthLowerBound).toBe(true);
});

test('a single pool without a formula is executed whole, and no split follows', async () => {
  const { read, paidBy, sampled } = marketOf([opaque]);
  expect((await read())?.best?.amountOut).toBe(paidBy(opaque, tokenA, 100n * unit));
  expect(sampled()).toEqual([]);
});

const sampleSizes = new Set([100n, 50n, 25n].map((size) => size * unit).concat(6_250_000_000_000_000_000n));

test('a pool that pays the samples and less in a split is left out, and the split is executed once next time', async () => {
  const liar = { ...opaque, pays: (amountIn: bigint) => (sampleSizes.has(amountIn) ? 10_000n : 100n) };
  // Reserves of another size, so that the part of the pool is no sample.
  const deep = scriptedPool('2', pair, [2_000n, 4_000n], { row: 1 });
  const { read, paidBy, sampled, kindsSent } = marketOf([liar, deep]);
  const found = await read();
  expect(found?.best?.amountOut).toBe(paidBy(deep, tokenA, 100n * unit));
  expect(sampled()?.map(({ plan, isBest }) => [plan.legs.length, isBest])).toEqual([[2, false]]);
  const before = kindsSent().length;
  expect((await read())?.best?.amountOut).toBe(paidBy(deep, tokenA, 100n * unit));
  expect(kindsSent().slice(before)).toHaveLength(1);
});

test('a pool that pays up to 1 % less than its curve is kept, and its amounts improve the curve', async () => {
  const least = { ...opaque, pays: (amountIn: bigint) => (sampleSizes.has(amountIn) ? 10_000n : 9_950n) };
  const deep = scriptedPool('2', pair, [2_000n, 4_000n], { row: 1 });
  const { read, sampled } = marketOf([least, deep]);
  const found = await read();
  expect(found?.best?.plan.legs).toHaveLength(2);
  expect(sampled()?.[0]).toEqual({ plan: found?.best?.plan, isBest: true });
});

test('a pool whose samples fail is not part of a split', async () => {
  const { read, paidBy } = marketOf([{ ...opaque, fails: true }, known]);
  const found = await read();
  expect(found?.best?.amountOut).toBe(paidBy(known, tokenA, 100n * unit));
  expect(found?.best?.plan.legs).toHaveLength(1);
});

test('a pool without a formula is part of a route over another token', async () => {
  const first = scriptedPool('4', [tokenA, tokenC], [1_000n, 1_000n], { isOpaque: true });
  const second = scriptedPool('5', [tokenC, tokenB], [9_000n, 18_000n]);
  const { read, paidBy } = marketOf([first, second]);
  const found = await read();
  expect(found?.best?.amountOut).toBe(paidBy(second, tokenC, paidBy(first, tokenA, 100n * unit)));
});

test('an order that sells the second token of the pool is split too', async () => {
  const scripted = scriptedMarket({ pools: [opaque, known] });
  scripted.data.funding.set(tokenB, scripted.data.funding.get(tokenA) ?? 'unknown');
  const query = toQuoteQuery({ chain: 'base', tokenIn: tokenB, tokenOut: tokenA, size: { tokenIn: '100' } });
  const { found } = await readMarket(scripted.data, query, scripted.newNode());
  expect(found?.best?.amountOut).toBe(2n * scripted.paidBy(opaque, tokenB, 50n * unit));
});
