import { parseSize } from './parseSize.ts';
import type { QuoteQuestion } from './quoteTypes.ts';

/** Equal for all spellings of one question, such as trailing zeros of a size. */
export function questionKey({ chain, tokenIn, tokenOut, size }: QuoteQuestion): string {
  const [unit, text] = 'tokenIn' in size ? ['token', size.tokenIn] : ['usd', size.usd];
  const { mantissa, scale } = parseSize(text);
  return [chain, tokenIn, tokenOut, unit, mantissa, scale].join('|');
}
