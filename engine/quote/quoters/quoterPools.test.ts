import { decodeFunctionData, getAddress } from 'viem';
import { expect, test } from 'vitest';
import { venueAbi } from '../../../tests/support/engine/testQuoters.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { toAddress } from '../../venues/eventWords.ts';
import { toCandidatePools } from '../../venues/families.ts';
import { isZeroForOne, onePercentBelow, pairFill, toFill, toLookUp, toQuoterRead, toStateRead } from './quoterPools.ts';

const [low, high] = [
  '0x00000000000000000000000000000000000000aa',
  '0x00000000000000000000000000000000000000bb',
] as const;
const pool = '0x00000000000000000000000000000000000000c4';
const candidatePools = toCandidatePools(deployments.base.venues);
const ofFamily = (family: string) => candidatePools.find((each) => each.family === family) as CandidatePool;
const decode = ({ data }: { data: `0x${string}` }) => decodeFunctionData({ abi: venueAbi, data });

test('the direction follows from the numbers of the addresses', () => {
  expect([isZeroForOne([low, high]), isZeroForOne([high, low])]).toEqual([true, false]);
});

test('a pair is looked up by its tokens, a concentrated pool by tokens and fee, in its factory', () => {
  const [pair, range] = [ofFamily('uniswap-v2'), ofFamily('uniswap-v3')];
  const tokens = [getAddress(high), getAddress(low)];
  expect(toLookUp(pair, [high, low]).to).toBe(pair.factory);
  expect(decode(toLookUp(pair, [high, low]))).toEqual({ functionName: 'getPair', args: tokens });
  expect(decode(toLookUp(range, [high, low]))).toEqual({ functionName: 'getPool', args: [...tokens, range.fee] });
});

test('the state of a pair is its reserves, that of a concentrated pool its price', () => {
  const readOf = (family: string) => toStateRead({ candidatePool: ofFamily(family), pool });
  expect([readOf('uniswap-v2').to, decode(readOf('uniswap-v2')).functionName]).toEqual([pool, 'getReserves']);
  expect([readOf('uniswap-v3').to, decode(readOf('uniswap-v3')).functionName]).toEqual([pool, 'slot0']);
});

test('the quoter sells tokenIn for tokenOut up to the limit, by default to the end of the range', () => {
  const read = (limit?: bigint) => toQuoterRead(pool, [high, low], 500, 7n, limit);
  const order = { tokenIn: getAddress(high), tokenOut: getAddress(low), amountIn: 7n, fee: 500 };
  expect(read(9n).to).toBe(pool);
  expect(decode(read(9n)).args).toEqual([{ ...order, sqrtPriceLimitX96: 9n }]);
  expect(decode(read()).args).toEqual([{ ...order, sqrtPriceLimitX96: 0n }]);
});

/** One price inside TickMath's MIN_SQRT_RATIO and MAX_SQRT_RATIO, where a swap of QuoterV2 stops. */
const lowest = 4295128740n;
const highest = 1461446703485210103287273052203988822378723970341n;
test.each([
  ['fills', { words: [5n, 9n] }, true, { status: 'filled', received: 5n }],
  ['stops at the lowest price', { words: [5n, lowest] }, true, { status: 'partial', received: 0n }],
  ['stops at the highest price', { words: [5n, highest] }, false, { status: 'partial', received: 0n }],
  ['ends at the other end of the range', { words: [5n, lowest] }, false, { status: 'filled', received: 5n }],
  ['ends one above the lowest price', { words: [5n, lowest + 1n] }, true, { status: 'filled', received: 5n }],
  ['pays nothing', { words: [0n, 9n] }, true, { status: 'rejected', received: 0n }],
  ['reverts', 'reverted', true, { status: 'rejected', received: 0n }],
  ['ran out of gas', 'unread', true, { status: 'unread', received: 0n }],
  ['returned no price', { words: [5n] }, true, { status: 'unread', received: 0n }],
  ['returned nothing', { words: [] }, true, { status: 'unread', received: 0n }],
  ['was not asked', undefined, true, { status: 'unread', received: 0n }],
] as const)('a quote that %s has its status, and pays only if it fills', (_, result, zeroForOne, expected) => {
  expect(toFill(result, zeroForOne)).toEqual(expected);
});

test('a pair pays by its reserves after its fee, rounded down', () => {
  // 100 less 0.3 % = 99.7 into 1,000: floor(99.7 * 2,000 / 1,099.7) = 181.
  expect(pairFill(100n, { in: 1_000n, out: 2_000n }, 3_000)).toEqual({ status: 'filled', received: 181n });
  expect(pairFill(100n, { in: 1_000n, out: 2_000n }, 0)).toEqual({ status: 'filled', received: 181n });
  expect(pairFill(1_000n, { in: 1_000n, out: 2_000n }, 0)).toEqual({ status: 'filled', received: 1_000n });
});

test.each([
  [{ in: 0n, out: 5n }, 'empty'],
  [{ in: 5n, out: 0n }, 'empty'],
  [{ in: 5_000n, out: 1n }, 'rejected'],
])('a pair that cannot pay a unit pays nothing, and is empty or rejects the swap (%#)', (reserves, status) => {
  expect(pairFill(10n, reserves, 3_000)).toEqual({ status, received: 0n });
});

test('the limit is a price one percent lower for the seller', () => {
  const price = 10n ** 24n;
  const squareOf = (root: bigint) => (Number(root) / 1e24) ** 2;
  expect(squareOf(onePercentBelow(price, true))).toBeCloseTo(0.99, 5);
  expect(squareOf(onePercentBelow(price, false))).toBeCloseTo(1 / 0.99, 5);
});

test('an address is the last 20 bytes of a word, with its leading zeros', () => {
  expect(toAddress(0xc4n)).toBe(pool);
  expect(toAddress((1n << 160n) + 0xc4n)).toBe(pool);
});
