import { toLowerAddress } from '../../lowerAddress.ts';
import type { QuoteQuery, QuoteRequest } from '../quoteTypes.ts';
import { parseSize } from './parseSize.ts';

/** The normal form of a request. A query is returned unchanged. */
export function toQuoteQuery(request: QuoteRequest | QuoteQuery): QuoteQuery {
  if (isQuery(request)) return request;
  const { chain, tokenIn, tokenOut, size } = request;
  return {
    chain,
    tokenIn: toLowerAddress(tokenIn),
    tokenOut: toLowerAddress(tokenOut),
    size: 'usd' in size ? { unit: 'usd', ...parseSize(size.usd) } : { unit: 'token', ...parseSize(size.tokenIn) },
  };
}

const isQuery = (request: QuoteRequest | QuoteQuery): request is QuoteQuery => 'unit' in request.size;
