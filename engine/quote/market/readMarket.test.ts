import { expect, test } from 'vitest';
import { type MarketOptions, scriptedMarket, scriptedPool } from '../../../tests/support/engine/scriptedMarket.ts';
import { addressOf, tokenA, tokenB, tokenC } from '../../../tests/support/engine/testProbe.ts';
import { RpcTransportError } from '../../errors.ts';
import type { KnownPool } from '../../pools/stateQuery.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import { toQuoteQuery } from '../query/toQuoteQuery.ts';
import type { QuoteRequest } from '../quoteTypes.ts';
import { forgetMarket, readMarket } from './readMarket.ts';

const queryOf = (amount: string, more: Partial<QuoteRequest> = {}) =>
  toQuoteQuery({ chain: 'base', tokenIn: tokenA, tokenOut: tokenB, size: { tokenIn: amount }, ...more });
const unit = 10n ** 18n;
const pool = scriptedPool('1');
const viaC = [scriptedPool('2', [tokenA, tokenC]), scriptedPool('3', [tokenC, tokenB])];

/** A market, and quotes of it that start at the latest block. */
function marketOf(options: MarketOptions) {
  const scripted = scriptedMarket(options);
  const read = (query = queryOf('10'), at?: '0x10') => readMarket(scripted.data, query, scripted.newNode(), at);
  return { ...scripted, read };
}

test('a new market whose call for the states executed the plan takes one request', async () => {
  const { read, kindsSent, paidBy, requests } = marketOf({ pools: [pool] });
  const market = await read();
  expect(market.found?.best).toMatchObject({ amountOut: paidBy(pool, tokenA, 10n * unit), isWarm: true });
  expect(market.found?.best?.plan.legs.map(({ pool: { id } }) => id)).toEqual([pool.id]);
  expect(market).toMatchObject({ size: { amountIn: 10n * unit }, states: { block: { number: 16n } } });
  expect(market).toMatchObject({ nextBlock: undefined, logGap: undefined, hintSources: [] });
  expect(market.notCovered).toEqual({ largest: [], count: 0, share: 0, unread: [] });
  expect(market).not.toHaveProperty('uncovered');
  expect(kindsSent()).toEqual([['states']]);
  expect(requests.flat().find(({ kind }) => kind === 'states')?.block).toBe('latest');
});

test('the next quote of a market executes the predicted plan beside the states of its pools', async () => {
  const { read, kindsSent, paidBy, state, requests } = marketOf({ pools: [pool] });
  await read();
  state.number += 1n;
  const { found, states } = await read(queryOf('20'));
  expect(found?.best?.amountOut).toBe(paidBy(pool, tokenA, 20n * unit));
  expect(found?.best?.isWarm).toBeUndefined();
  expect(states.block.number).toBe(17n);
  expect(kindsSent()).toEqual([['states'], ['probe', 'known states']]);
  const worth = requests
    .flat()
    .find(({ kind }) => kind === 'known states')
    ?.states?.tokens.map((token) => token.worth);
  // The order's value, rounded down to its two highest binary digits, of each token that has a price.
  expect(worth).toEqual([2n ** 64n, 3n * 2n ** 63n, 0n]);
});

test('a pool whose reserves changed is executed again at its new state', async () => {
  const { read, paidBy, state } = marketOf({ pools: [pool] });
  await read();
  const moved = { ...pool, reserve1: pool.reserve1 / 2n };
  state.pools = [moved];
  const { found } = await read();
  expect(found?.best?.amountOut).toBe(paidBy(moved, tokenA, 10n * unit));
});

test('a route over two pools is executed in a second request if the first one did not try it', async () => {
  const { read, kindsSent, paidBy } = marketOf({ pools: viaC });
  const { found } = await read();
  const [first, second] = viaC as [typeof pool, typeof pool];
  expect(found?.best?.amountOut).toBe(paidBy(second, tokenC, paidBy(first, tokenA, 10n * unit)));
  expect(kindsSent()).toEqual([['states'], ['probe']]);
});

test('a market is read at the block of the query', async () => {
  const { read, requests } = marketOf({ pools: viaC });
  await read(queryOf('10'), '0x10');
  const blocks = requests.flat().flatMap(({ kind, block }) => (kind === 'other' ? [] : [block]));
  expect(blocks).toEqual(['0x10', '0x10']);
});

test('an execution that pays less than the state promises is not the answer if another pool pays more', async () => {
  const liar = { ...scriptedPool('4', [tokenA, tokenC], [1_000n, 9_000n]), pays: () => 1n };
  const { read, paidBy, data } = marketOf({ pools: [pool, liar, ...viaC.slice(1)] });
  const { found } = await read();
  expect(found?.best?.amountOut).toBe(paidBy(pool, tokenA, 10n * unit));
  // The next quote repeats the search without the pool.
  expect(data.markets.get(queryOf('10'))?.search?.leftOut).toEqual([new Set([liar.id])]);
});

test.each([
  ['0', 'nothing'],
  ['1001', 'more than the supply'],
])('a sale of %s tokens, %s, executes no plan', async (amount) => {
  const { read, kindsSent } = marketOf({ pools: [pool], supply: 1_000n * unit });
  const market = await read(queryOf(amount));
  expect(market.found).toBeUndefined();
  expect(kindsSent().flat()).not.toContain('probe');
  expect([market.notCovered, market.uncovered, market.roundsToZero]).toEqual([undefined, undefined, undefined]);
});

test('a sale of the whole supply is executed', async () => {
  const { read, paidBy } = marketOf({ pools: [pool], supply: 1_000n * unit });
  const market = await read(queryOf('1000'));
  expect(market.found?.best?.amountOut).toBe(paidBy(pool, tokenA, 1_000n * unit));
});

test('a market without a pool has no plan, and its uncovered venues are read', async () => {
  const holder = addressOf('9');
  const uncovered = [{ name: 'venue', address: holder, kind: 'singleton' as const }];
  const { read, data } = marketOf({ pools: [], deployment: { uncovered } as never });
  const market = await read();
  expect(market.found?.best).toBeUndefined();
  expect(market.uncovered).toEqual({ notCovered: [], notCoveredUnread: ['venue'] });
  expect(market.roundsToZero).toBe(false);
  expect(data.markets.get(queryOf('10'))).toBeUndefined();
});

test('a market without a route is looked up again, so a pool that was created is found', async () => {
  const { read, state, kindsSent, paidBy } = marketOf({ pools: [] });
  expect((await read()).found?.best).toBeUndefined();
  state.pools = [pool];
  expect((await read()).found?.best?.amountOut).toBe(paidBy(pool, tokenA, 10n * unit));
  expect(kindsSent().flat()).toEqual(['states', 'states']);
});

test('a known market whose pool no longer pays is looked up again in the same quote', async () => {
  const { read, state, kindsSent, paidBy } = marketOf({ pools: [pool] });
  await read();
  const next = scriptedPool('5');
  state.pools = [next];
  const { found } = await read();
  expect(found?.best?.amountOut).toBe(paidBy(next, tokenA, 10n * unit));
  expect(kindsSent()).toEqual([['states'], ['probe', 'known states'], ['states']]);
});

test('an order whose output is less than one base unit is reported', async () => {
  const dust = { ...pool, reserve0: 10n ** 30n, reserve1: 10n ** 6n };
  const { read } = marketOf({ pools: [dust] });
  const market = await read(queryOf('0.000001'));
  expect(market.found?.best).toBeUndefined();
  expect(market.roundsToZero).toBe(true);
});

test('a market that was forgotten is looked up again', async () => {
  const { read, data, kindsSent } = marketOf({ pools: [pool] });
  const { states } = await read();
  forgetMarket(data, queryOf('10'), states);
  expect(data.markets.get(queryOf('10'))).toBeUndefined();
  expect(data.states.pairs?.get(`${tokenA}${tokenB}`)).toBeUndefined();
  await read();
  expect(kindsSent()).toEqual([['states'], ['states']]);
});

test('a size in USD is converted by the pool against the stable asset, and executed', async () => {
  const { read, paidBy } = marketOf({ pools: [pool, ...viaC] });
  const { size, found } = await read(queryOf('', { size: { usd: '20' } }));
  // Two of the stable for one of the token sold.
  expect(size).toMatchObject({ amountIn: 10n * unit, surveyed: true, usdSource: { source: 'pool' } });
  expect(found?.best?.amountOut).toBeGreaterThanOrEqual(paidBy(pool, tokenA, 10n * unit));
});

test('a size in USD of a token without a price is not executed, and the market is looked up again', async () => {
  const { read, data, kindsSent } = marketOf({ pools: [pool] });
  const market = await read(queryOf('', { size: { usd: '20' } }));
  expect(market).toMatchObject({ found: undefined, size: { amountIn: 0n, surveyed: true } });
  expect([market.uncovered, market.roundsToZero]).toEqual([undefined, undefined]);
  expect(data.markets.get(queryOf('10'))).toBeUndefined();
  expect(kindsSent()).toEqual([['states']]);
});

test('a connection that was idle for more than a second sends the plan in a second request', async () => {
  const at = async (idleMs: number) => {
    const { read, state, kindsSent } = marketOf({ pools: [pool] });
    state.idleMs = idleMs;
    await read();
    return kindsSent();
  };
  expect(await at(1_000)).toEqual([['states']]);
  expect(await at(1_001)).toEqual([['states'], ['probe']]);
});

test('a base fee that changed by more than an eighth searches again, and the same plan is executed once', async () => {
  const { read, state, data, kindsSent } = marketOf({ pools: [pool] });
  state.baseFee = 800n;
  await read();
  await read();
  const first = data.markets.get(queryOf('10'))?.search;
  const searchAt = async (baseFee: bigint) => {
    state.baseFee = baseFee;
    await read();
    return data.markets.get(queryOf('10'))?.search;
  };
  expect((await searchAt(900n))?.result).toBe(first?.result);
  expect((await searchAt(700n))?.result).toBe(first?.result);
  expect((await searchAt(901n))?.result).not.toBe(first?.result);
  expect(kindsSent().slice(1)).toEqual(Array(4).fill(['probe', 'known states']));
});

test('a node that does not respond is an error, not a market without a route', async () => {
  const { data, newNode } = marketOf({ pools: [pool] });
  const node = { ...newNode(), send: () => Promise.reject(new RpcTransportError('refused')) };
  await expect(readMarket(data, queryOf('10'), node)).rejects.toThrow(RpcTransportError);
});

/** Makes a search for further pools end between the first request for the states and its reply. */
function endSearchDuringRead({ data }: Pick<ReturnType<typeof marketOf>, 'data'>, known: readonly KnownPool[]): void {
  const { found } = data;
  let recalls = 0;
  data.found = {
    ...found,
    recall: (pair) => ({
      ...found.recall(pair),
      ...(recalls++ === 0 ? { known: [], gap: 'pending' } : { known: [...known], gap: undefined }),
    }),
    search: async () => false,
  };
}

test('a new market is read again with a pool whose search ended during the first read', async () => {
  const ref = (await marketOf({ pools: [pool] }).read()).states.pools[0]?.ref as PoolRef;
  const market = marketOf({ pools: [pool] });
  endSearchDuringRead(market, [{ ref: { ...ref, id: scriptedPool('9').id }, sells: 'both' }]);
  const { logGap } = await market.read();
  // The second read contains the pool of the first one and the new one.
  expect(market.requests.flat().flatMap(({ states }) => (states ? [states.known.length] : []))).toEqual([0, 2]);
  expect(logGap).toBeUndefined();
});

test('a known market reports a gap if its search ends after its states were requested', async () => {
  const market = marketOf({ pools: [pool] });
  await market.read();
  endSearchDuringRead(market, []);
  expect(await market.read()).toMatchObject({ logGap: 'pending' });
});
