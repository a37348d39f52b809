import type { Address } from 'viem';
import type { Pool } from '../pools/poolTypes.ts';
import { depthWithinOnePercent, midOf } from '../pools/price.ts';

/** Mid of the deepest pool of a pair, in base units; undefined if no pool has liquidity at its price. */
export function deepestMid(from: Address, to: Address, pools: readonly Pool[]): number | undefined {
  let deepest = 0n;
  let mid: number | undefined;
  for (const { ref, state } of pools) {
    const zeroForOne = ref.token0 === from && ref.token1 === to;
    if (!zeroForOne && !(ref.token0 === to && ref.token1 === from)) continue;
    const depth = depthWithinOnePercent(state, zeroForOne);
    if (depth > deepest) [deepest, mid] = [depth, midOf(state, zeroForOne)];
  }
  return mid;
}

/** The order's value in base units of each token, directly or over one other token. A token without a price is left out. */
export function worthOf(
  { tokenIn, amountIn }: { tokenIn: Address; amountIn: bigint },
  tokens: readonly Address[],
  pools: readonly Pool[],
): Map<string, bigint> {
  const worth = new Map<string, number>([[tokenIn, Number(amountIn)]]);
  const others = tokens.filter((token) => token !== tokenIn);
  for (const token of others) {
    const mid = deepestMid(tokenIn, token, pools);
    if (mid !== undefined) worth.set(token, Number(amountIn) * mid);
  }
  for (const token of others) {
    if (worth.has(token)) continue;
    for (const [middle, amount] of [...worth]) {
      const mid = deepestMid(middle as Address, token, pools);
      if (mid === undefined) continue;
      worth.set(token, amount * mid);
      break;
    }
  }
  return new Map([...worth].flatMap(([token, amount]) => (amount >= 1 ? [[token, BigInt(Math.floor(amount))]] : [])));
}
