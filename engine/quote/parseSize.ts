import type { DecimalSize } from './quoteTypes.ts';

/** `mantissa` / 10^`scale`, without trailing zeros in the fraction. */
export interface ParsedSize {
  mantissa: bigint;
  scale: number;
}

/** Reads a positive decimal as the wire carries it ("1.50" = 150 / 10^2 = 15 / 10^1). */
export function parseSize(size: DecimalSize): ParsedSize {
  const [whole = '', fraction = ''] = size.split('.');
  const significant = fraction.replace(/0+$/, '');
  return { mantissa: BigInt(whole + significant), scale: significant.length };
}

/** The size in base units of a token, cut down, and whether anything was cut. Unlike the lens it has no upper end. */
export function toBaseUnits({ mantissa, scale }: ParsedSize, decimals: number): { amount: bigint; cut: boolean } {
  if (scale <= decimals) return { amount: mantissa * 10n ** BigInt(decimals - scale), cut: false };
  const unit = 10n ** BigInt(scale - decimals);
  return { amount: mantissa / unit, cut: mantissa % unit !== 0n };
}
