import type { PretradeQuery } from '../../engine/index.ts';
import { RequestError } from '../errors/requestError.ts';
import { toChainName } from '../quote/chainField.ts';
import { type PretradeInput, pretradeExampleRequest } from './pretradeInput.ts';

/**
 * Converts a validated body to the engine's query.
 * @throws {RequestError} UNSUPPORTED_CHAIN: the chain is not Base
 */
export function toPretradeQuery({ token, sizeUSD, chain: word }: PretradeInput): PretradeQuery {
  const chain = toChainName(word);
  if (chain !== 'base') {
    throw new RequestError(
      'UNSUPPORTED_CHAIN',
      `The pretrade check is served on Base only, not on ${chain}. Leave chain out, or send base. Nothing was charged.`,
      { exampleRequest: pretradeExampleRequest },
    );
  }
  return { chain, token, ...(sizeUSD !== undefined && { sizeUsd: sizeUSD }) };
}
