import { getAddress } from 'viem';
import {
  type ChainName,
  chainNames,
  deployments,
  type Engine,
  isNativeCoin,
  type LowerAddress,
  type QuoteQuestion,
} from '../../engine/index.ts';
import { RequestError } from '../errors/requestError.ts';
import { quoteExampleRequest } from './quoteInput.ts';

/**
 * Reads the code of both addresses. An address without code is not a token on this chain, so the quote is refused before
 * the charge.
 * @throws {RequestError} INVALID_REQUEST names each address without code, with the chain and the block
 * @throws {ChainUnavailableError | DeadlineExceededError} the code could not be read
 */
export async function assertContracts(question: QuoteQuestion, engine: Pick<Engine, 'readCode'>): Promise<void> {
  const { chain } = question;
  const faults = await Promise.all(
    (['tokenIn', 'tokenOut'] as const).map(async (side) => {
      const address = question[side];
      if (isNativeCoin(address)) return undefined;
      const { hasCode, blockNumber } = await engine.readCode(chain, address);
      if (hasCode) return undefined;
      return `${side} ${getAddress(address)} has no code on ${chain} at block ${blockNumber}.${knownElsewhere(chain, address)}`;
    }),
  );
  const found = faults.filter((fault) => fault !== undefined);
  if (found.length === 0) return;
  const detail = `${found.join(' ')} Send the address of a token contract on ${chain}, or another chain.`;
  throw new RequestError('INVALID_REQUEST', detail, { exampleRequest: quoteExampleRequest });
}

/** Names the other chains whose data lists a token of this address. */
function knownElsewhere(asked: ChainName, address: LowerAddress): string {
  const places = chainNames.flatMap((chain) => {
    if (chain === asked) return [];
    const { routingAssets, feeds } = deployments[chain];
    const base = routingAssets.find((asset) => asset.address === address);
    return base || Object.hasOwn(feeds, address) ? [`${base?.symbol ?? 'a token'} on ${chain}`] : [];
  });
  return places.length === 0 ? '' : ` It is ${places.join(' and ')}.`;
}
