import type { LowerAddress } from '../../lowerAddress.ts';
import type { Pool } from '../../venues/poolTypes.ts';
import { toCurve } from '../search/curve.ts';

/**
 * Value of the order in each token, in base units: its output through one pool, directly or over one other token. Never
 * more than a pool pays, so a pool that holds a 512th of it can be left unread. Omits tokens that no pool pays.
 */
export function worthOf(
  { tokenIn, amountIn }: { tokenIn: LowerAddress; amountIn: bigint },
  tokens: readonly LowerAddress[],
  pools: readonly Pool[],
): Map<LowerAddress, bigint> {
  const others = tokens.filter((token) => token !== tokenIn);
  const direct = new Map<LowerAddress, number>([[tokenIn, Number(amountIn)]]);
  for (const token of others) direct.set(token, maxPaid(tokenIn, token, Number(amountIn), pools));
  const worth = new Map(direct);
  for (const [middle, amount] of direct) {
    if (middle === tokenIn || amount < 1) continue;
    for (const token of others) {
      const paid = maxPaid(middle, token, amount, pools);
      if (paid > (worth.get(token) ?? 0)) worth.set(token, paid);
    }
  }
  const fetched = others.flatMap((token): [LowerAddress, bigint][] => {
    const amount = worth.get(token) ?? 0;
    return amount >= 1 ? [[token, BigInt(Math.floor(amount))]] : [];
  });
  return new Map([[tokenIn, amountIn], ...fetched]);
}

/** The largest output of one pool, for the part of the amount that it takes. */
function maxPaid(from: LowerAddress, to: LowerAddress, amount: number, pools: readonly Pool[]): number {
  let most = 0;
  for (const { ref, state } of pools) {
    const zeroForOne = ref.token0 === from && ref.token1 === to;
    if (!zeroForOne && !(ref.token0 === to && ref.token1 === from)) continue;
    const paid = toCurve(state, zeroForOne)?.reach(amount) ?? 0;
    if (paid > most && Number.isFinite(paid)) most = paid;
  }
  return most;
}
