import { expect, test } from 'vitest';
import { toLowerAddress } from '../lowerAddress.ts';
import type { PoolRef } from '../pools/poolTypes.ts';
import { kinds, noHooks } from '../venues/kinds.ts';
import { requestsLike } from './planRequests.ts';

const [a, b] = [toLowerAddress(`0x${'a'.repeat(40)}`), toLowerAddress(`0x${'b'.repeat(40)}`)] as const;
const slot = { family: 'uniswap-v2', venue: 'uniswap-v2', kind: kinds.v2, factory: a, fee: 3000 } as const;
const pool: PoolRef = { slot: { ...slot, tickSpacing: 0, hooks: noHooks }, id: a, token0: a, token1: b };
const planOf = (amountIn: bigint, shareBps = 10_000) => ({
  tokenIn: a,
  tokenOut: b,
  amountIn,
  legs: [{ pool, tokenIn: a, tokenOut: b, shareBps }],
});
const orderOf = (amountIn: bigint) => ({ tokenIn: a, tokenOut: b, amountIn });
const amountIn = 10n ** 18n;
/** The second plan sells a sixteenth, for the mid. */
const last = { amountIn, requests: [{ plan: planOf(amountIn), again: true }, { plan: planOf(amountIn / 16n) }] };

test('repeats the last plans for an order of nearly the same size, with the same parts', () => {
  const next = amountIn + amountIn / 100n + 7n;
  const [whole, part] = requestsLike(last, orderOf(next)) ?? [];
  expect([whole?.plan.amountIn, whole?.again, part?.plan.amountIn]).toEqual([next, true, next / 16n]);
});

test.each([
  ['no plan is known', undefined, amountIn],
  ['the sizes differ by more than 1/64', last, amountIn + amountIn / 60n],
  ['the last order was divided', { amountIn, requests: [{ plan: planOf(amountIn, 5_000) }] }, amountIn],
  ['the amounts are too small to keep the parts', { ...last, amountIn: 1_000n }, 1_000n],
] as const)('leaves the plans to the search if %s', (_, known, size) => {
  expect(requestsLike(known, orderOf(size))).toBeUndefined();
});
