import { expect, test } from 'vitest';
import type { PoolState } from '../../pools/poolTypes.ts';
import { swap } from '../../pools/swap.ts';
import { toCurve } from './curve.ts';
import { concentratedState, pairState, seededRandom, testTokens } from './testMarket.ts';

const { LT, USDC, WETH } = testTokens;

test('curves follow the exact swaps of every kind of pool', () => {
  const random = seededRandom(5);
  const positions = [0, 1, 2, 3].map((at) => ({ usd: 50_000, range: [0.5 + at / 9, 1 + at / 5] as const }));
  const stable: PoolState = {
    kind: 'stable',
    rule: 'solidly',
    reserve0: 2_000_000n * 10n ** 6n,
    reserve1: 1_300_000n * 10n ** 18n,
    unit0: 10n ** 6n,
    unit1: 10n ** 18n,
    feePips: [500, 500],
  };
  const states = [
    pairState(LT, USDC, 300_000, 0, 3000),
    { ...pairState(WETH, USDC, 300_000, 0, 3000), rule: 'solidly' } as PoolState,
    concentratedState(LT, WETH, 3, 500, 10, positions),
    stable,
  ];
  for (const state of states) {
    for (const zeroForOne of [true, false]) {
      const curve = toCurve(state, zeroForOne);
      for (let round = 0; round < 200; round++) {
        const amountIn = BigInt(Math.floor(1e9 * 10 ** (random() * 17)));
        const exact = swap(state, zeroForOne, amountIn)?.amountOut;
        const paid = curve?.pay(Number(amountIn)) ?? 0;
        // Small amounts are decided by rounding to units; a pool counts as full a thousandth early.
        if (exact === undefined) expect(paid).toBeLessThan(1);
        else if (paid >= 0 && exact > 10n ** 9n) expect(Math.abs(paid / Number(exact) - 1)).toBeLessThan(1e-8);
      }
    }
  }
});
