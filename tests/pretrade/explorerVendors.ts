import type { Address } from 'viem';
import { type PretradeOptions, toLowerAddress } from '../../engine/index.ts';

/** Vendors that return these token holders, and a first transfer `ageDays` ago. */
export const explorerVendors = (
  holders: readonly Address[],
  ageDays: number,
): NonNullable<PretradeOptions['vendors']> => ({
  holders: [
    {
      label: 'explorer',
      fetchTopHolders: async () => ({
        holders: holders.map((address) => ({ address: toLowerAddress(address), rawBalanceHint: null })),
        exactCount: null,
        approximateCount: null,
        source: 'explorer',
        measuredAt: Date.now(),
        asOfBlock: null,
      }),
    },
  ],
  firstTransfer: [
    {
      label: 'explorer',
      fetchFirstTransfer: async () => ({
        blockNumber: 1n,
        timestamp: Math.floor(Date.now() / 1000) - ageDays * 86_400,
        sender: null,
        transactionHash: null,
        source: 'explorer',
      }),
    },
  ],
});
