// Prices are base units of tokenOut for one base unit of tokenIn, as doubles. They rank pools; swaps are exact.

/** The end of a depth: the price after a fall of 1 %. */
export const onePercentLower = 0.99;

export const usablePrice = (price: number) => (Number.isFinite(price) && price > 0 ? price : undefined);

export const toUnits = (amount: number) => (Number.isFinite(amount) && amount > 0 ? BigInt(Math.floor(amount)) : 0n);

/** Part of the input that the fee leaves; undefined if a pool reports an impossible fee. */
export function keptShare(feePips: readonly [number, number], zeroForOne: boolean): number | undefined {
  const keep = 1 - feePips[zeroForOne ? 0 : 1] * 1e-6;
  return keep > 0 && keep <= 1 ? keep : undefined;
}
