import { expect, test } from 'vitest';
import { randomMarket, seededRandom, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { toSearchQuery } from '../../../tests/support/engine/testQuery.ts';
import type { Pool } from '../../venues/poolTypes.ts';
import type { Plan } from './planTypes.ts';
import { type SearchQuery, searchPlan } from './searchPlan.ts';

const { LT, USDC, WETH, DAI, AERO } = testTokens;
const pairs = [
  [LT, USDC],
  [USDC, LT],
  [LT, DAI],
  [DAI, AERO],
  [WETH, USDC],
] as const;
const sizes = [0.000_02, 500, 5_000, 50_000, 500_000];

/** The legs by the pools' positions in the query: `LT>WETH 3 40%` sells 40 % of all LT into the pool with index 3. */
function showLegs({ legs }: Pick<Plan, 'legs'>, pools: readonly Pool[]): string {
  const names = new Map(Object.entries(testTokens).map(([name, { address }]) => [address, name]));
  const shown = legs.map(({ pool, tokenIn, tokenOut, shareBps }) => {
    const index = pools.findIndex(({ ref }) => ref.id === pool.id);
    return `${names.get(tokenIn)}>${names.get(tokenOut)} ${index} ${shareBps / 100}%`;
  });
  return shown.join(', ');
}

function show(query: SearchQuery) {
  const { single, runnerUp, best, depthBelow, opaque, needsTicks } = searchPlan(query);
  const plans = { single, runnerUp, best };
  const shown = Object.entries(plans).map(([name, filled]) => [
    name,
    filled && `${showLegs(filled, query.pools)} pays ${filled.amountOut}, gas ${filled.gas}`,
  ]);
  return {
    ...Object.fromEntries(shown),
    depth: best && depthBelow(best.amountOut).size,
    opaque: opaque.map((plan) => showLegs(plan, query.pools)),
    needsTicks,
  };
}

/** Makes every third pool opaque, and every fifth known only near its price. */
function withUnknowns(pools: readonly Pool[]): Pool[] {
  return pools.map(({ ref, state }, index) => {
    if (state.kind !== 'concentrated') return { ref, state };
    const { sqrtPriceX96, liquidity, tick } = state;
    if (index % 3 === 0) return { ref, state: { kind: 'opaque', reason: 'hook', sqrtPriceX96, liquidity } };
    return { ref, state: index % 5 === 0 ? { ...state, knownFrom: tick - 600, knownTo: tick + 600 } : state };
  });
}

/**
 * Records the plans that the search chooses, so that a change of them fails a test. `searchPlan.test.ts` tests whether they
 * are good. After an intended change: `npx vitest run engine/quote/search -u`.
 */
test.each(sizes.flatMap((usd) => pairs.map((pair, index) => ({ usd, pair, seed: index + 1 }))))(
  'chooses the recorded plans for $usd USD in market $seed',
  ({ usd, pair: [from, to], seed }) => {
    const pools = randomMarket(seededRandom(seed));
    const amountIn = BigInt(Math.floor((usd / from.usd) * 10 ** from.decimals));
    const query = { ...toSearchQuery(pools, from, to, 1), amountIn };
    expect([query, { ...query, pools: withUnknowns(pools) }].map(show)).toMatchSnapshot();
  },
);
