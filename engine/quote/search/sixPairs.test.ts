import { expect, test } from 'vitest';
import { pairState, poolOf, type TestToken, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { toSearchQuery } from '../../../tests/support/engine/testQuery.ts';
import { swap } from '../../venues/models.ts';
import { searchPlan } from './searchPlan.ts';

/** Six pairs over three tokens. Most of B comes over A, and then goes over C: no split over routes of one order of A and B does. */
const { LT: S, WETH: A, AERO: B, DAI: C, USDC: T } = testTokens;
const pair = (from: TestToken, to: TestToken, usd: number) => poolOf(pairState(from, to, usd, 0, 3000), from, to);
const market = {
  SA: pair(S, A, 3_000_000),
  SB: pair(S, B, 150_000),
  AB: pair(A, B, 2_000_000),
  AT: pair(A, T, 200_000),
  BC: pair(B, C, 2_000_000),
  CT: pair(C, T, 2_000_000),
};
type Name = keyof typeof market;

const sell = (name: Name, from: TestToken, amount: bigint): bigint => {
  const { ref, state } = market[name];
  return amount > 0n ? (swap(state, ref.token0 === from.address, amount)?.amountOut ?? 0n) : 0n;
};

/** Output by exact swaps: `a` parts of the order go to A; `b` of A go to B, or of B to A if B is first. */
function outputOf(amountIn: bigint, isBFirst: boolean, a: bigint, b: bigint, parts: bigint): bigint {
  const toA = (amountIn * a) / parts;
  const [first, second] = isBFirst ? (['SB', 'SA'] as const) : (['SA', 'SB'] as const);
  const [firstToken, secondToken] = isBFirst ? [B, A] : [A, B];
  const bought = sell(first, S, isBFirst ? amountIn - toA : toA);
  const crossed = (bought * b) / parts;
  const kept = bought - crossed;
  const other = sell(second, S, isBFirst ? toA : amountIn - toA) + sell('AB', firstToken, crossed);
  const amountOf = (token: TestToken) => (token === firstToken ? kept : token === secondToken ? other : 0n);
  return sell('AT', A, amountOf(A)) + sell('CT', C, sell('BC', B, amountOf(B)));
}

/** The most on a grid of 1/200 of the order, then on finer ones around it. */
function exhaustive(amountIn: bigint): { amountOut: bigint; isBFirst: boolean } {
  let best = { amountOut: 0n, isBFirst: false, a: 0n, b: 0n };
  const grid = (isBFirst: boolean, parts: bigint, a: readonly [bigint, bigint], b: readonly [bigint, bigint]) => {
    for (let at = a[0]; at <= a[1]; at++) {
      for (let to = b[0]; to <= b[1]; to++) {
        if (at < 0n || to < 0n || at > parts || to > parts) continue;
        const amountOut = outputOf(amountIn, isBFirst, at, to, parts);
        if (amountOut > best.amountOut) best = { amountOut, isBFirst, a: at, b: to };
      }
    }
  };
  let parts = 200n;
  for (const isBFirst of [true, false]) grid(isBFirst, parts, [0n, parts], [0n, parts]);
  for (let round = 0; round < 2; round++) {
    const [a, b] = [best.a * 10n, best.b * 10n];
    parts *= 10n;
    grid(best.isBFirst, parts, [a - 10n, a + 10n], [b - 10n, b + 10n]);
  }
  return best;
}

test.each([3_000, 10_000, 40_000, 100_000])(
  'is within 2 bps of the exhaustive optimum for %s USD in the market of six pairs',
  (usd) => {
    const query = { ...toSearchQuery(Object.values(market), S, T, usd), gasPrice: 0 };
    const optimum = exhaustive(query.amountIn);
    expect(optimum.isBFirst).toBe(false);
    const amountOut = searchPlan(query).best?.amountOut ?? 0n;
    expect(amountOut * 10_000n).toBeGreaterThanOrEqual(optimum.amountOut * 9_998n);
  },
);
