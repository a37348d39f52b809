import type { VendorResult } from '../fetchVendorFacts.ts';
import { type HolderCandidates, type Market, ownIndexLabel } from '../pretradePorts.ts';
import type { MarketBlock } from '../pretradeTypes.ts';
import { sentence } from './sentence.ts';

/** Numbers of the market source, unchanged. If it returns no holder count, the holder source's count is used. */
export function describeMarket(result: VendorResult<Market>, holders: VendorResult<HolderCandidates>): MarketBlock {
  if (result.status !== 'known') {
    const note = sentence(`No market data: ${result.reason}`);
    return { priceUsdSpot: null, volume24hUsd: null, marketCapUsd: null, holderCount: null, note };
  }
  const { source, ...numbers } = result.value;
  const holderCount = numbers.holderCount ?? countOf(holders);
  const sources = [...new Set([source, holderCount === null ? null : holderCountSource(result, holders)])]
    .filter((name) => name !== null)
    .join(' and ');
  return {
    ...numbers,
    holderCount,
    note: `Republished from ${sources}; none of it is measured by this service.`,
  };
}

/** The source of `holderCount`. */
export function holderCountSource(
  result: VendorResult<Market>,
  holders: VendorResult<HolderCandidates>,
): string | null {
  if (result.status !== 'known') return null;
  if (result.value.holderCount !== null) return result.value.source;
  return holders.status === 'known' ? holders.value.source : null;
}

/** A holder count from a third party. The count of our own index is not one. */
function countOf(holders: VendorResult<HolderCandidates>): number | null {
  if (holders.status !== 'known' || holders.value.source === ownIndexLabel) return null;
  return holders.value.exactCount ?? holders.value.approximateCount;
}
