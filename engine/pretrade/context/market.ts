import type { Asked } from '../askVendors.ts';
import type { Market } from '../pretradePorts.ts';
import type { MarketBlock } from '../pretradeTypes.ts';

/** Third-party numbers, as they are. */
export function describeMarket(asked: Asked<Market>): MarketBlock {
  if (asked.status !== 'known') {
    const note = `No market data: ${asked.reason}.`;
    return { priceUsdSpot: null, volume24hUsd: null, marketCapUsd: null, holderCount: null, note };
  }
  const { source, ...numbers } = asked.value;
  return { ...numbers, note: `Republished from ${source} as it is; none of it is measured by this service.` };
}
