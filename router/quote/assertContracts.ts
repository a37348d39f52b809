import { getAddress } from 'viem';
import {
  type ChainName,
  chainNames,
  deployments,
  type Engine,
  isNativeCoin,
  type LowerAddress,
  type QuoteQuery,
} from '../../engine/index.ts';
import { RequestError } from '../errors/requestError.ts';
import { quoteExampleRequest } from './quoteInput.ts';

/**
 * Asserts that both addresses have code on the chain. An address without code is not a token, so the quote is refused
 * before the charge.
 * @throws {RequestError} INVALID_REQUEST; the message contains each address without code, the chain and the block
 * @throws {ChainUnavailableError | DeadlineExceededError} the code could not be read
 */
export async function assertContracts(query: QuoteQuery, engine: Pick<Engine, 'readCode'>): Promise<void> {
  const { chain } = query;
  const faults = await Promise.all(
    (['tokenIn', 'tokenOut'] as const).map(async (side) => {
      const address = query[side];
      if (isNativeCoin(address)) return undefined;
      const { hasCode, blockNumber } = await engine.readCode(chain, address);
      if (hasCode) return undefined;
      return `${side} ${getAddress(address)} has no code on ${chain} at block ${blockNumber}.${describeOtherChains(chain, address)}`;
    }),
  );
  const found = faults.filter((fault) => fault !== undefined);
  if (found.length === 0) return;
  const detail = `${found.join(' ')} Send the address of a token contract on ${chain}, or another chain.`;
  throw new RequestError('INVALID_REQUEST', detail, { exampleRequest: quoteExampleRequest });
}

/** A sentence with the other chains on which a known token has this address; empty without one. */
function describeOtherChains(requested: ChainName, address: LowerAddress): string {
  const tokens = chainNames.flatMap((chain) => {
    if (chain === requested) return [];
    const { routingAssets, feeds } = deployments[chain];
    const routingAsset = routingAssets.find((asset) => asset.address === address);
    return routingAsset || Object.hasOwn(feeds, address) ? [`${routingAsset?.symbol ?? 'a token'} on ${chain}`] : [];
  });
  return tokens.length === 0 ? '' : ` It is ${tokens.join(' and ')}.`;
}
