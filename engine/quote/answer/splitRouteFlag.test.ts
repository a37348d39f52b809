import { expect, test } from 'vitest';
import type { Leg } from '../quoteTypes.ts';
import { splitRouteFlag } from './splitRouteFlag.ts';

const leg: Leg = {
  dex: 'uniswap-v3',
  venue: 'uniswap-v3',
  pool: '0xd0b53D9277642d899DF5C87A3966A349A798F224',
  tokenIn: '0x4200000000000000000000000000000000000006',
  tokenOut: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  feePips: 500,
  amountIn: 10n ** 20n,
  amountOut: 299_000_000_000n,
  shareBps: 10_000,
};
const route = { dex: leg.dex, path: [leg.tokenIn, leg.tokenOut], pools: [leg.pool], legs: [leg] };

test('default: states the gain and the best single route with its amountOut, as JSON', () => {
  const flag = splitRouteFlag(37, { amountOut: leg.amountOut, route });
  expect(flag).toMatchObject({ code: 'SPLIT_ROUTE', severity: 'info', message: expect.stringContaining('0.37 %') });
  const facts = { gainBps: 37, single: { amountOut: '299000000000', pools: [leg.pool] } };
  expect(JSON.parse(JSON.stringify(flag.facts))).toMatchObject(facts);
  expect(flag.facts.single.legs[0]).toMatchObject({ amountIn: '100000000000000000000', amountOut: '299000000000' });
});
