import { formatUnits, getAddress } from 'viem';
import {
  type ChainName,
  chainNames,
  deployments,
  type Engine,
  isNativeCoin,
  type LowerAddress,
  type QuoteQuery,
  toBaseUnits,
} from '../../engine/index.ts';
import { RequestError } from '../errors/requestError.ts';
import { quoteExampleRequest } from './quoteInput.ts';

/**
 * Asserts that both addresses have code on the chain, and that the size is at least one base unit of tokenIn. No quote answers
 * other requests, so they are refused before the charge.
 * @throws {RequestError} INVALID_REQUEST; the message contains each address without code, the chain and the block, or the size and the decimals
 * @throws {ChainUnavailableError | DeadlineExceededError} the code could not be read
 */
export async function assertContracts(query: QuoteQuery, engine: Pick<Engine, 'readCode'>): Promise<void> {
  const { chain } = query;
  const faults = await Promise.all(
    (['tokenIn', 'tokenOut'] as const).map(async (side) => {
      const address = query[side];
      if (isNativeCoin(address)) return side === 'tokenIn' ? findTooSmall(query.size, nativeDecimals) : undefined;
      const { hasCode, decimals, blockNumber } = await engine.readCode(chain, address);
      if (hasCode) return side === 'tokenIn' ? findTooSmall(query.size, decimals) : undefined;
      return `${side} ${getAddress(address)} ${noCode} on ${chain} at block ${blockNumber}.${describeOtherChains(chain, address)}`;
    }),
  );
  const found = faults.filter((fault) => fault !== undefined);
  if (found.length === 0) return;
  const isUnknown = found.some((fault) => fault.includes(noCode));
  const advice = isUnknown ? ` Send the address of a token contract on ${chain}, or another chain.` : '';
  const detail = `${found.join(' ')}${advice}`;
  throw new RequestError('INVALID_REQUEST', detail, { exampleRequest: quoteExampleRequest });
}

const noCode = 'has no code';
const nativeDecimals = 18;

/** Sizes in USD depend on a price, so the quote itself answers those. @param decimals undefined if the token reports none */
function findTooSmall(size: QuoteQuery['size'], decimals: number | undefined): string | undefined {
  if (decimals === undefined || size.unit === 'usd') return undefined;
  if (toBaseUnits(size, decimals).amount > 0n) return undefined;
  const unit = decimals === 0 ? '1' : `0.${'0'.repeat(decimals - 1)}1`;
  return `sizeIn ${formatUnits(size.mantissa, size.scale)} is less than one base unit of tokenIn, which has ${decimals} decimals. Send at least ${unit}.`;
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
