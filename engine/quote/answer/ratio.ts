/**
 * numerator / denominator as a number, rounded down to the 53 bits of a double, so that equal quotients of different
 * integers are equal numbers.
 * @throws {RangeError} the denominator is 0
 */
export function ratio(numerator: bigint, denominator: bigint): number {
  const shift = Math.max(0, 60 + bits(denominator) - bits(numerator));
  const scaled = (numerator << BigInt(shift)) / denominator;
  const cut = bits(scaled) - 53;
  const exponent = cut - shift;
  // Two steps: 2^exponent alone may be below the smallest double.
  const half = Math.trunc(exponent / 2);
  return Number(scaled >> BigInt(cut)) * 2 ** half * 2 ** (exponent - half);
}

const bits = (value: bigint) => value.toString(2).length;

/** A price in whole tokens: `amountOut` per `amountIn`, each with its decimals. */
export function priceOf(amountIn: bigint, amountOut: bigint, decimals: { in: number; out: number }): number {
  return ratio(amountOut * 10n ** BigInt(decimals.in), amountIn * 10n ** BigInt(decimals.out));
}
