import { type QuoteQuery, toLowerAddress } from '../../engine/index.ts';
import { toChainName } from './chainField.ts';
import type { QuoteInput } from './quoteInput.ts';

/** Converts a validated body to the engine's query. sizeUSD takes precedence over sizeIn. */
export function toQuery(input: QuoteInput): QuoteQuery {
  return {
    chain: toChainName(input.chain),
    tokenIn: toLowerAddress(input.tokenIn),
    tokenOut: toLowerAddress(input.tokenOut),
    size: toSize(input),
  };
}

function toSize({ sizeIn, sizeUSD }: QuoteInput): QuoteQuery['size'] {
  if (sizeUSD !== undefined) return { usd: sizeUSD };
  if (sizeIn !== undefined) return { tokenIn: sizeIn };
  throw new TypeError('The schema accepted a quote without a size.');
}
