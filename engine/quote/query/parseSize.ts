/** A positive decimal in whole units ("1.5"), as on the wire; the token's decimals convert it to base units. */
export type DecimalSize = string;

/** `mantissa` / 10^`scale`, without trailing zeros in the fraction. */
export interface ParsedSize {
  mantissa: bigint;
  scale: number;
}

/** Parses a positive decimal of a request ("1.50" = 150 / 10^2 = 15 / 10^1). */
export function parseSize(size: DecimalSize): ParsedSize {
  const [whole = '', fraction = ''] = size.split('.');
  const significant = fraction.replace(/0+$/, '');
  return { mantissa: BigInt(whole + significant), scale: significant.length };
}

/** The size in base units of a token, rounded down; `cut` if it was rounded. Unlike the lens it has no upper limit. */
export function toBaseUnits({ mantissa, scale }: ParsedSize, decimals: number): { amount: bigint; cut: boolean } {
  if (scale <= decimals) return { amount: mantissa * 10n ** BigInt(decimals - scale), cut: false };
  // The last digit of the fraction is not 0.
  return { amount: mantissa / 10n ** BigInt(scale - decimals), cut: true };
}
