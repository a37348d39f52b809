import type { Address } from 'viem';
import type { ChainName } from '../../chain/chains.ts';
import { type LowerAddress, toLowerAddress } from '../../lowerAddress.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import type { Flag, QuoteAnswer, QuoteQuery, QuoteRequest } from '../quoteTypes.ts';
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

/** The cache key of a query. */
export function queryKey({ chain, tokenIn, tokenOut, size }: QuoteQuery): string {
  return [chain, tokenIn, tokenOut, size.unit, size.mantissa, size.scale].join('|');
}

/** The address that stands for a chain's native coin (ERC-7528). No contract is deployed there. */
export const nativeCoin: Address = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';

const lowerNativeCoin = toLowerAddress(nativeCoin);

export const isNativeCoin = (address: LowerAddress): boolean => address === lowerNativeCoin;

/** The chain's wrapped native token for the native coin; any other address unchanged. */
export function toToken(chain: ChainName, address: LowerAddress): LowerAddress {
  return isNativeCoin(address) ? deployments[chain].wrappedNative : address;
}

/** The same query about the wrapped native token. */
export function withWrappedNative(query: QuoteQuery): QuoteQuery {
  const { chain, tokenIn, tokenOut } = query;
  return { ...query, tokenIn: toToken(chain, tokenIn), tokenOut: toToken(chain, tokenOut) };
}

/** The answer for the wrapped token, with a flag for each side of `query` that is the native coin. */
export function flagNative(answer: QuoteAnswer, query: QuoteQuery): QuoteAnswer {
  const sides = (['tokenIn', 'tokenOut'] as const).filter((which) => isNativeCoin(query[which]));
  if (sides.length === 0) return answer;
  return { ...answer, flags: [...sides.map((which) => nativeAsWrappedFlag(which, answer[which])), ...answer.flags] };
}

const conversion = {
  tokenIn: 'wrap the coin before the first swap',
  tokenOut: 'unwrap the output of the last swap',
};

function nativeAsWrappedFlag(which: 'tokenIn' | 'tokenOut', wrappedNative: Address): Flag {
  return {
    code: 'NATIVE_AS_WRAPPED',
    severity: 'info',
    message: `${which} is the native coin, quoted as its wrapped token ${wrappedNative}: ${conversion[which]}, 1:1.`,
    facts: { which, wrappedNative },
  };
}
