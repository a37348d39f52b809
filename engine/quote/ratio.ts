/**
 * numerator / denominator as a number, cut down: 60 significant bits are worked out exactly before the
 * one rounding that a double needs.
 */
export function ratio(numerator: bigint, denominator: bigint): number {
  if (denominator === 0n) throw new RangeError('A ratio needs a denominator.');
  if (numerator === 0n) return 0;
  const shift = Math.max(0, 60 + bits(denominator) - bits(numerator));
  const scaled = (numerator << BigInt(shift)) / denominator;
  // Two steps: 2^-shift alone may be below the smallest double.
  const half = Math.floor(shift / 2);
  return Number(scaled) / 2 ** half / 2 ** (shift - half);
}

const bits = (value: bigint) => value.toString(2).length;

/** A price in whole tokens: `amountOut` per `amountIn`, each with its decimals. */
export function priceOf(amountIn: bigint, amountOut: bigint, decimals: { in: number; out: number }): number {
  return ratio(amountOut * 10n ** BigInt(decimals.in), amountIn * 10n ** BigInt(decimals.out));
}
