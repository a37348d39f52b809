import { expect, test } from 'vitest';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { FeedReading, StateReading } from '../../pools/decodeStates.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import type { Pool } from '../../venues/poolTypes.ts';
import type { FilledPlan } from '../search/planTypes.ts';
import { poolUsdPrice, valuesOf } from './usdPrices.ts';

const { base } = deployments;
const [weth, usdc] = [base.wrappedNative, base.usdc];
const dai: LowerAddress = '0x50c5725949a6f0c72e6c4a641f24049a917db0cb';
const low: LowerAddress = '0x0000000000000000000000000000000000000abc';
const high: LowerAddress = '0xffffffffffffffffffffffffffffffffffffffff';
const units = (whole: number, decimals = 18) => BigInt(Math.round(whole * 1e6)) * 10n ** BigInt(decimals - 6);

/** A pair that holds the amounts. */
function pairOf(a: LowerAddress, heldA: bigint, b: LowerAddress, heldB: bigint, feePips = 3_000): Pool {
  const [token0, token1, reserve0, reserve1] = a < b ? [a, b, heldA, heldB] : [b, a, heldB, heldA];
  const ref = { candidatePool: {} as CandidatePool, id: `${a}${heldA}` as const, token0, token1 };
  const fees = [feePips, feePips] as const;
  return { ref, state: { kind: 'pair', rule: 'uniswap-v2', reserve0, reserve1, feePips: fees } };
}
/** 100 WETH at 3,000 USDC. */
const wethPair = pairOf(weth, units(100), usdc, units(300_000, 6));

const now = 1_000_000n;
const feed: FeedReading = { read: true, answer: 2_500n * 10n ** 8n, updatedAt: now, decimals: 8 };
interface Trade {
  tokenIn?: LowerAddress;
  amountIn?: bigint;
  tokenOut?: LowerAddress;
  amountOut?: bigint;
  pools?: Pool[];
  wethFeed?: Partial<FeedReading>;
}

/** Values of a sale, by default of 2 units of a token with 18 decimals for 5 USDC, at 1 gwei with 100,000 gas. */
function valuesIn({ tokenIn = low, amountIn = units(2), tokenOut = usdc, amountOut = units(5, 6), ...market }: Trade) {
  const plan = { tokenIn, tokenOut, amountIn, legs: [] };
  const address = base.feeds[weth]?.address;
  const states = {
    block: { timestamp: now, baseFee: 10n ** 9n },
    ...{ sequencer: 'up', pools: market.pools ?? [] },
    feeds: market.wethFeed ? [{ address, ...feed, ...market.wethFeed }] : [],
  } as unknown as StateReading;
  return valuesOf({ plan, legs: [], amountOut, gas: 100_000n } satisfies FilledPlan, states, base);
}

test('without a feed or a pool, the value of a token is null, not 0', () => {
  expect(valuesIn({})).toEqual({ gasUsd: null, valueInUsd: null, valueOutUsd: 5 });
});

test('a USD stable counts 1:1, whatever its pools pay', () => {
  const pools = [pairOf(usdc, units(1_000_000, 6), dai, units(900_000))];
  expect(valuesIn({ pools, tokenOut: dai, amountOut: units(7) }).valueOutUsd).toBeCloseTo(7, 12);
});

test('the value of gas is gas times base fee, at the price of the wrapped coin’s feed', () => {
  expect(valuesIn({ wethFeed: {}, pools: [wethPair] }).gasUsd).toBeCloseTo(0.25, 12);
});

test.each<[string, Partial<FeedReading>]>([
  ['is too old', { updatedAt: 0n }],
  ['was not read', { read: false }],
  ['is 0', { answer: 0n }],
])('a feed whose answer %s is replaced by the pool against a USD stable', (_, wethFeed) => {
  expect(valuesIn({ wethFeed, pools: [wethPair] }).gasUsd).toBeCloseTo(0.3, 12);
});

test.each([low, high])('a token is worth what its pool against a USD stable shows, in either order (%s)', (token) => {
  const pools = [pairOf(token, units(10_000), usdc, units(25_000, 6))];
  expect(valuesIn({ pools, tokenIn: token }).valueInUsd).toBeCloseTo(5, 9);
});

test('a token with a pool against WETH alone is valued by the price of WETH', () => {
  const against = pairOf(low, units(10_000), weth, units(20));
  expect(valuesIn({ pools: [against], wethFeed: {} }).valueInUsd).toBeCloseTo(10, 9);
  // Without a feed, WETH has the price of its own pool.
  expect(valuesIn({ pools: [against, wethPair] }).valueInUsd).toBeCloseTo(12, 9);
  expect(valuesIn({ pools: [against] }).valueInUsd).toBeNull();
  // A pool against an asset without a price does not hide the others.
  const stablePair = pairOf(low, units(10_000), usdc, units(25_000, 6));
  expect(valuesIn({ pools: [against, stablePair] }).valueInUsd).toBeCloseTo(5, 9);
});

test('a pricing asset without a feed is not priced against one without a feed', () => {
  const cbbtc: LowerAddress = '0xcbb7c0000ab88b473b1f5afd9ef808440eed33bf';
  const pools = [pairOf(cbbtc, units(10, 8), weth, units(300)), wethPair];
  expect(valuesIn({ pools, tokenIn: cbbtc, amountIn: units(1, 8) }).valueInUsd).toBeNull();
});

test('a token of no pricing asset is not priced by a pool against a token of no pricing asset', () => {
  expect(valuesIn({ pools: [pairOf(low, units(10), high, units(10))], wethFeed: {} }).valueInUsd).toBeNull();
});

test('the deepest pool counts, compared in USD and not in base units', () => {
  // DAI has 18 decimals: in base units, its pool appears a million times deeper.
  const deep = pairOf(low, units(400_000), usdc, units(1_000_000, 6));
  const shallow = pairOf(low, units(1_000), dai, units(2_510));
  for (const pools of [
    [deep, shallow],
    [shallow, deep],
  ])
    expect(valuesIn({ pools }).valueInUsd).toBeCloseTo(5, 9);
});

test('a deep pool whose mid is far below what another one pays for the whole amount does not count', () => {
  const deep = pairOf(low, units(1_000_000), usdc, units(1_000_000, 6));
  const paying = pairOf(low, units(1_000), usdc, units(3_000, 6));
  expect(valuesIn({ pools: [deep, paying] }).valueInUsd).toBeCloseTo(6, 9);
  // A sale of 20,000 gets less than 1 USD each there, so that pool shows no price for this amount.
  expect(valuesIn({ pools: [deep, paying], amountIn: units(20_000) }).valueInUsd).toBeCloseTo(20_000, 6);
});

test('the price names the pricing asset, and the amount is that at each pool’s own mid', () => {
  const seen: number[] = [];
  const unitsAt = (usdPerUnit: number) => {
    seen.push(usdPerUnit);
    return 1e18;
  };
  const pools = [pairOf(low, units(10_000), usdc, units(25_000, 6))];
  const price = poolUsdPrice(low, unitsAt, ({ usdStable }) => (usdStable ? 1 : undefined), pools, base);
  expect(price?.symbol).toBe('USDC');
  expect(price?.usdPerUnit).toBeCloseTo(2.5e-18, 30);
  expect(seen).toEqual([price?.usdPerUnit]);
  expect(poolUsdPrice(low, unitsAt, () => undefined, pools, base)).toBeUndefined();
});
