import { parseSize } from './parseSize.ts';
import type { QuoteQuestion } from './quoteTypes.ts';

/** The same for two spellings of one question: letter case of addresses, zeros at the end of a size. */
export function questionKey({ chain, tokenIn, tokenOut, size }: QuoteQuestion): string {
  const [unit, text] = 'tokenIn' in size ? ['token', size.tokenIn] : ['usd', size.usd];
  const { mantissa, scale } = parseSize(text);
  return [chain, tokenIn.toLowerCase(), tokenOut.toLowerCase(), unit, mantissa, scale].join('|');
}
