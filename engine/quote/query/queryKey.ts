import type { QuoteQuery } from '../quoteTypes.ts';

/** The text of a query. */
export function queryKey({ chain, tokenIn, tokenOut, size }: QuoteQuery): string {
  return [chain, tokenIn, tokenOut, size.unit, size.mantissa, size.scale].join('|');
}
