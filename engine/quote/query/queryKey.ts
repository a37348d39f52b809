import type { QuoteQuery } from '../quoteTypes.ts';
import { parseSize } from './parseSize.ts';

/** Equal for all spellings of one query, such as trailing zeros of a size. */
export function queryKey({ chain, tokenIn, tokenOut, size }: QuoteQuery): string {
  const [unit, text] = 'tokenIn' in size ? ['token', size.tokenIn] : ['usd', size.usd];
  const { mantissa, scale } = parseSize(text);
  return [chain, tokenIn, tokenOut, unit, mantissa, scale].join('|');
}
