import type { Curve, PoolModel } from './poolModel.ts';

/** A pool that this code has no formula for (hook, dynamic plugin): its output must be simulated. */
export interface OpaqueState {
  kind: 'opaque';
  reason: 'hook' | 'plugin' | 'unknown-curve';
  /** Upper bounds of the pool's output, by its balances; undefined if unread. */
  balance0?: bigint | undefined;
  balance1?: bigint | undefined;
  /** Price and liquidity where the pool reports them, for ranking only. */
  sqrtPriceX96?: bigint | undefined;
  liquidity?: bigint | undefined;
  feePips?: number | undefined;
  /** Estimated outputs of sales of token0, and of token1, from executed samples. */
  curves?: readonly [Curve | undefined, Curve | undefined];
}

const curveOf = ({ curves }: OpaqueState, zeroForOne: boolean) => curves?.[zeroForOne ? 0 : 1];

export const opaqueModel: PoolModel<OpaqueState> = {
  /** An estimate; the state does not change. */
  swap(state, zeroForOne, amountIn) {
    const paid = curveOf(state, zeroForOne)?.pay(Number(amountIn)) ?? 0;
    return paid >= 1 ? { amountOut: BigInt(Math.floor(paid)), state, ticksCrossed: 0 } : undefined;
  },
  price: () => undefined,
  depth: () => 0n,
  curve: curveOf,
  legGas: 180_000,
};

/** The values of a lens's entry that describe the pool. */
interface OpaqueEntry {
  first: bigint;
  second: bigint;
  third: bigint;
  fourth: bigint;
  feePips: readonly [number, number];
}

/** A pair of which only the balances are known. */
export const toOpaquePair = ({ first, second }: OpaqueEntry): OpaqueState => ({
  kind: 'opaque',
  reason: 'unknown-curve',
  balance0: first,
  balance1: second,
});

/** A concentrated pool: its price, its liquidity, and its balances plus one. 0 and 1 may be unread balances. */
export const toOpaqueRange =
  (reason: OpaqueState['reason']) =>
  ({ first, second, third, fourth, feePips }: OpaqueEntry): OpaqueState => ({
    kind: 'opaque',
    reason,
    balance0: third > 1n ? third - 1n : undefined,
    balance1: fourth > 1n ? fourth - 1n : undefined,
    sqrtPriceX96: first,
    liquidity: second,
    feePips: feePips[0] || undefined,
  });
