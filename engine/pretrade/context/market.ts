import type { VendorResult } from '../fetchVendorFacts.ts';
import { type HolderCandidates, type Market, ownIndexLabel } from '../pretradePorts.ts';
import type { MarketBlock } from '../pretradeTypes.ts';
import { sentence } from './sentence.ts';

/** Third-party numbers, as they are. Markets tell no holders: their count is the explorer's. */
export function describeMarket(asked: VendorResult<Market>, holders: VendorResult<HolderCandidates>): MarketBlock {
  if (asked.status !== 'known') {
    const note = sentence(`No market data: ${asked.reason}`);
    return { priceUsdSpot: null, volume24hUsd: null, marketCapUsd: null, holderCount: null, note };
  }
  const { source, ...numbers } = asked.value;
  const holderCount = numbers.holderCount ?? countOf(holders);
  const sources = [...new Set([source, holderCount === null ? null : holderCountSource(asked, holders)])]
    .filter((name) => name !== null)
    .join(' and ');
  return {
    ...numbers,
    holderCount,
    note: `Republished from ${sources}; none of it is measured by this service.`,
  };
}

/** The source of `holderCount`. */
export function holderCountSource(asked: VendorResult<Market>, holders: VendorResult<HolderCandidates>): string | null {
  if (asked.status !== 'known') return null;
  if (asked.value.holderCount !== null) return asked.value.source;
  return holders.status === 'known' ? holders.value.source : null;
}

/** Our own index counts too, and is no third party. */
function countOf(holders: VendorResult<HolderCandidates>): number | null {
  if (holders.status !== 'known' || holders.value.source === ownIndexLabel) return null;
  return holders.value.exactCount ?? holders.value.approximateCount;
}
