import type { Address } from 'viem';
import { describe, expect, test } from 'vitest';
import {
  pairState,
  poolOf,
  randomMarket,
  seededRandom,
  type TestToken,
  testTokens,
} from '../../../tests/support/engine/testMarket.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { depthWithinOnePercent, midOf } from '../../venues/models.ts';
import type { Pool } from '../../venues/poolTypes.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import { sizeOrder } from '../query/sizeOrder.ts';
import { toQuoteQuery } from '../query/toQuoteQuery.ts';
import { midAlong } from '../search/midAlong.ts';
import { searchPlan } from '../search/searchPlan.ts';
import { deepestOf, midsOf } from './deepestMid.ts';

const { base } = deployments;
const { LT, USDC, WETH, AERO, DAI } = testTokens;
const markets = Array.from({ length: 150 }, (_, seed) => randomMarket(seededRandom(seed)));
const routingTokens = [USDC, WETH, AERO, DAI].map(({ address }) => address);

/** Mid and depth of the deepest pool of a pair, without a comparison with executed prices. */
function deepest(from: Address, to: Address, pools: readonly Pool[]): { mid: number; depth: number } {
  const found = pools.flatMap(({ ref, state }) => {
    const zeroForOne = ref.token0 === from && ref.token1 === to;
    if (!zeroForOne && !(ref.token0 === to && ref.token1 === from)) return [];
    const depth = Number(depthWithinOnePercent(state, zeroForOne));
    return [{ depth, mid: midOf(state, zeroForOne)?.mid ?? 0 }];
  });
  return found.reduce((most, pool) => (pool.depth > most.depth ? pool : most), { depth: 0, mid: 0 });
}

describe('in markets whose pools differ by less than their fees', () => {
  test.each([
    [LT, USDC],
    [USDC, LT],
    [WETH, LT],
    [WETH, USDC],
  ])('the mid of a route is that of its deepest pools (%#)', (sold, bought) => {
    let compared = 0;
    for (const pools of markets) {
      for (const usd of [5, 500, 20_000, 500_000]) {
        const amountIn = BigInt(Math.floor((usd / sold.usd) * 10 ** sold.decimals));
        const query = { pools, tokenIn: sold.address, tokenOut: bought.address, amountIn, routingTokens };
        const { single } = searchPlan(query);
        if (!single) continue;
        const plain = single.legs.map(({ tokenIn, tokenOut }) => deepest(tokenIn, tokenOut, pools).mid);
        const product = plain.reduce((whole, mid) => whole * mid, 1);
        if (product > 0) expect(midAlong(single.legs, pools)).toBe(product);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(400);
  });

  test('a size in USD is converted by the deepest pool', () => {
    const asset = ({ address, decimals }: TestToken, symbol: string, usdStable: boolean) =>
      ({ address, decimals, symbol, usdStable }) as const;
    const pricingAssets = [asset(USDC, 'USDC', true), asset(WETH, 'WETH', false)];
    const feed = { address: '0x01', heartbeatSeconds: 1, description: 'ETH / USD' } as const;
    const deployment = { ...base, pricingAssets, feeds: { [WETH.address]: feed } } as Deployment;
    for (const pools of markets) {
      for (const usd of [5, 500, 20_000, 500_000]) {
        const states = {
          block: { timestamp: 0n },
          sequencer: 'up',
          tokens: [LT, USDC].map(({ address, decimals }) => ({ address, decimals })),
          feeds: [{ address: feed.address, read: true, answer: 3200n, decimals: 0, updatedAt: 0n }],
          pools,
        } as unknown as StateReading;
        const query = toQuoteQuery({
          chain: 'base',
          tokenIn: LT.address,
          tokenOut: USDC.address,
          size: { usd: `${usd}` },
        });
        const [inUsdc, inWeth] = [deepest(LT.address, USDC.address, pools), deepest(LT.address, WETH.address, pools)];
        const [perUsdc, perWeth] = [1e-6, 3200e-18];
        const usdPerUnit =
          inUsdc.depth * perUsdc >= inWeth.depth * perWeth ? inUsdc.mid * perUsdc : inWeth.mid * perWeth;
        const { amountIn } = sizeOrder(query, states, deployment);
        if (usdPerUnit === 0) expect(amountIn).toBe(0n);
        else expect(Number(amountIn) / (usd / usdPerUnit)).toBeCloseTo(1, 9);
      }
    }
  });
});

describe('deepestOf', () => {
  const [low, fair, thin] = [
    { mid: 0.5, depth: 1_000 },
    { mid: 0.995, depth: 10 },
    { mid: 1.2, depth: 1 },
  ] as const;

  test('ignores a pool more than 1 % below the paid price, at any depth', () => {
    expect(deepestOf([low, fair, thin], 1)).toBe(fair);
    expect(deepestOf([low, fair, thin], 0.5)).toBe(low);
  });

  test('returns the deepest pool if no price was paid, and the first of equal ones', () => {
    expect(deepestOf([fair, low, thin], 0)).toBe(low);
    expect(deepestOf([{ ...fair }, fair], 0)).not.toBe(fair);
  });

  test('returns undefined if every mid is too far below the paid price', () => {
    expect(deepestOf([low, fair], 2)).toBeUndefined();
  });
});

describe('midsOf', () => {
  const at = (feePips: number) => poolOf(pairState(LT, USDC, 50_000, 0, feePips), LT, USDC);
  const depthAt = (feePips: number) => midsOf(LT.address, USDC.address, [at(feePips)])[0]?.depth ?? 0;

  test('counts all of the depth up to a fee of 1 %, and a hundredth of it at 10 %', () => {
    const stateDepth = (feePips: number) => Number(depthWithinOnePercent(at(feePips).state, true));
    expect(depthAt(3_000)).toBe(stateDepth(3_000));
    expect(depthAt(10_000)).toBe(stateDepth(10_000));
    expect(depthAt(100_000) / stateDepth(100_000)).toBeCloseTo(0.01, 9);
  });

  test('each mid comes with what the pool pays in its direction, and pools of other pairs have none', () => {
    const pools = [at(3_000), poolOf(pairState(WETH, USDC, 50_000, 0, 500), WETH, USDC)];
    const [sold, ...more] = midsOf(LT.address, USDC.address, pools);
    expect(more).toEqual([]);
    const paid = sold?.pay(1e18) ?? 0;
    expect(paid / ((LT.usd / USDC.usd) * 10 ** USDC.decimals)).toBeCloseTo(0.997, 4);
    expect(midsOf(USDC.address, LT.address, pools)).toHaveLength(1);
    expect(midsOf(LT.address, WETH.address, pools)).toEqual([]);
  });

  test('a pool without a formula has no mid', () => {
    expect(midsOf(LT.address, USDC.address, [poolOf({ kind: 'opaque', reason: 'hook' }, LT, USDC)])).toEqual([]);
  });
});
