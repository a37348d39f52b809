import { expect, test } from 'vitest';
import type { LensReading, PoolReading } from '../../quote/lensReading.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { kinds } from '../../venues/kinds.ts';
import type { ExitReading } from './exitTypes.ts';
import { fromRouteAnswer, type RouteAnswer, rememberRoutes, toRouteQuery } from './recheckRoutes.ts';

const address = (digit: string) => `0x${digit.repeat(40)}` as const;
const [stable, base, token] = [address('1'), address('2'), address('3')];
const candidatePool = (kind: number) => ({
  kind,
  fee: 500,
  tickSpacing: 10,
  hooks: address('0'),
  venue: 'v',
  factory: '0x',
});
const candidatePools = [candidatePool(kinds.v3), candidatePool(kinds.v2)] as unknown as CandidatePool[];
const poolOf = (index: number, pair: number, candidatePoolIndex: number) =>
  ({
    index,
    pair,
    candidatePool: candidatePoolIndex,
    pool: address(`${index + 4}`),
    bandStatus: 'filled',
  }) as PoolReading;
const pair = (tokenIn: string, tokenOut: string, amountIn: bigint, status = 'filled') =>
  ({ tokenIn, tokenOut, amountIn, statuses: [status] }) as LensReading['pairs'][number];

/** A route through the base asset with two pools, and a route of a single pair. */
const market = {
  tokenOut: { hasCode: true, decimals: 18 },
  amountIn: 1_000n,
  depth: 1_600n,
  pairs: [pair(stable, token, 1_000n), pair(stable, base, 1_000n), pair(base, token, 500n)],
  pools: new Map([poolOf(0, 0, 1), poolOf(1, 1, 0), poolOf(2, 2, 1)].map((pool) => [pool.index, pool])),
  routes: [
    { pools: [1, 2], received: 10_000n, gas: 1 },
    { pools: [0], received: 9_000n, gas: 1 },
  ],
} as unknown as LensReading;
const exit = {
  hasCode: true,
  decimals: 18,
  blockNumber: 7n,
  timestamp: 8n,
  parentHash: '0x',
} as unknown as ExitReading;

test('remembers routes except those of a single pair, and sells up to 5/4 of the last depth', () => {
  const memory = rememberRoutes(market, exit, candidatePools);
  expect(memory?.routes).toEqual([market.routes[0]]);
  const { pools, routes, sizes } = toRouteQuery(memory ?? market, candidatePools);
  expect(pools.map(({ tokenIn, amount }) => [tokenIn, amount])).toEqual([
    [stable, 1_000n],
    [stable, 1_000n],
    [base, 500n],
  ]);
  expect(sizes.map(({ amount }) => amount)).toEqual([1_000n, 2_000n, 2_000n, 1_700n, 1_600n, 1_500n, 1_400n]);
  expect(sizes.every((size) => size.routes === 1)).toBe(true);
  expect(routes).toEqual([[1, 2]]);
});

test('remembers nothing if the best route is a single pair, a candidate pool is unread or the decimals differ', () => {
  const [first, second] = market.routes;
  const alone = { ...market, routes: [second, first] } as LensReading;
  const unread = { ...market, pairs: [pair(stable, token, 1_000n, 'unread')] };
  expect(rememberRoutes(alone, exit, candidatePools)).toBeUndefined();
  expect(rememberRoutes(unread, exit, candidatePools)).toBeUndefined();
  expect(rememberRoutes(market, { ...exit, decimals: 6 }, candidatePools)).toBeUndefined();
  expect(rememberRoutes(undefined, exit, candidatePools)).toBeUndefined();
});

/** Sales at the size, at twice the size, and at 20, 17, 16, 15 and 14 sixteenths of the depth. */
function answerOf(...received: bigint[]): RouteAnswer {
  const pools = [0, 1, 2].map(() => ({ status: 'filled', bandStatus: 'filled', used: 1n, received: 1n, price: 0n }));
  const sales = received.map((amount) => ({ status: amount === 0n ? 'rejected' : 'filled', received: amount, gas: 5 }));
  return { pools, sales } as unknown as RouteAnswer;
}

function readAgain(answer: RouteAnswer): LensReading | undefined {
  const memory = rememberRoutes(market, exit, candidatePools);
  return memory && fromRouteAnswer(memory, answer, exit, { deployment: deployments.base, candidatePools });
}

test('the largest size that pays at least 99 % of the price is the depth', () => {
  const reading = readAgain(answerOf(10_000n, 19_000n, 19_799n, 16_829n, 15_840n, 14_900n, 13_900n));
  expect(reading).toMatchObject({ depth: 1_600n, blockNumber: 7n, twice: { status: 'filled', received: 19_000n } });
  expect(reading?.routes).toEqual([{ pools: [1, 2], received: 10_000n, gas: 5 }]);
  expect(readAgain(answerOf(10_000n, 19_000n, 19_800n, 16_830n, 15_840n, 14_900n, 13_900n))?.depth).toBe(2_000n);
});

test('returns no market if the depth fell by more than an eighth or a route is not filled', () => {
  expect(readAgain(answerOf(10_000n, 19_000n, 0n, 0n, 0n, 0n, 13_859n))).toBeUndefined();
  expect(readAgain(answerOf(10_000n, 19_000n, 0n, 0n, 0n, 0n, 13_860n))?.depth).toBe(1_400n);
  expect(readAgain(answerOf(0n, 19_000n, 19_800n, 16_830n, 15_840n, 14_900n, 13_900n))).toBeUndefined();
});

test.each([
  ['the price of its fills', 1n << 96n, 'filled'],
  ['just under twice that price', (14n * (1n << 96n)) / 10n, 'filled'],
  ['more than twice that price', (15n * (1n << 96n)) / 10n, 'rejected'],
  ['a price below that of its fills', (1n << 96n) - (1n << 90n), 'rejected'],
] as const)('a pool that reports %s (sqrtPriceX96 %s): its price band is %s', (_case, price, expected) => {
  const answer = answerOf(10_000n, 19_000n, 19_799n, 16_829n, 15_840n, 14_900n, 13_900n);
  const pools = answer.pools.map((pool) => ({ ...pool, price, bandIn: 1_000_000n, bandOut: 994_000n }));
  // The second pool is the concentrated one.
  expect(readAgain({ ...answer, pools })?.pools.get(1)?.bandStatus).toBe(expected);
});
