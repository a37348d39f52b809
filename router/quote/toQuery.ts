import { type QuoteQuery, type QuoteRequest, toQuoteQuery } from '../../engine/index.ts';
import { toChainName } from './chainField.ts';
import type { QuoteInput } from './quoteInput.ts';

/** Converts a validated body to the engine's query. sizeUSD takes precedence over sizeIn. */
export function toQuery({ chain, tokenIn, tokenOut, ...sizes }: QuoteInput): QuoteQuery {
  return toQuoteQuery({ chain: toChainName(chain), tokenIn, tokenOut, size: toSize(sizes) });
}

function toSize({ sizeIn, sizeUSD }: Pick<QuoteInput, 'sizeIn' | 'sizeUSD'>): QuoteRequest['size'] {
  if (sizeUSD !== undefined) return { usd: sizeUSD };
  if (sizeIn !== undefined) return { tokenIn: sizeIn };
  throw new TypeError('The schema accepted a quote without a size.');
}
