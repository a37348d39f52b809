import type { ExecutableLeg, Judge, Movement } from '../../sandbox/index.ts';

/**
 * The lens walks a pool down to a hundredth of its price, which is a tenth on average. What goes on below is filled
 * where the walk is affordable, and not where ticks lie close: whether a fill is of that kind, from the price of a small
 * order by the same way.
 */
export async function isBeyondFloor(judge: Judge, legs: readonly ExecutableLeg[], paid: Movement): Promise<boolean> {
  const [small] = (await judge.tryOrders([{ legs, amountIn: paid.spent / 10_000n + 1n }])).movements;
  return small !== undefined && paid.received * small.spent * 10n < small.received * paid.spent;
}
