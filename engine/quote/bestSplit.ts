/** Shares in quarters of the size, in the order of the ways, and what they pay together. */
export interface Split {
  quarters: number[];
  received: bigint;
}

/**
 * The best way to give four quarters of an order to ways that share no pool. `paid[w][q - 1]` is what way `w` pays
 * for `q` quarters; 0 = it cannot.
 */
export function bestSplit(paid: readonly (readonly bigint[])[]): Split {
  const none: Split = { quarters: paid.map(() => 0), received: 0n };
  const allocate = (way: number, left: number): Split | undefined => {
    if (way === paid.length) return left === 0 ? none : undefined;
    let best: Split | undefined;
    for (let taken = 0; taken <= left; taken++) {
      const own = taken === 0 ? 0n : (paid[way]?.[taken - 1] ?? 0n);
      if (taken > 0 && own === 0n) continue;
      const rest = allocate(way + 1, left - taken);
      if (!rest || (best && best.received >= own + rest.received)) continue;
      const quarters = rest.quarters.map((share, index) => (index === way ? taken : share));
      best = { quarters, received: own + rest.received };
    }
    return best;
  };
  return allocate(0, 4) ?? none;
}
