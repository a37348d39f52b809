import type { LowerAddress } from '../lowerAddress.ts';
import type { HolderBalances } from './axes/concentration.ts';
import type { VendorFacts, VendorResult } from './fetchVendorFacts.ts';
import type { HolderMove } from './pretradePorts.ts';
import type { PretradeWorld, TokenReading } from './tokenReading.ts';

/** What was gathered for one answer. */
export interface Gathered {
  world: PretradeWorld;
  token: LowerAddress;
  sizeUsd: string;
  stable: LowerAddress;
  reading: TokenReading;
  vendors: VendorFacts;
  holderBalances: HolderBalances | undefined;
  creatorBalance: bigint | undefined;
  topHolderMove: VendorResult<HolderMove>;
  /** Holders whose sale was simulated, and how many of them went through. */
  holderSales: { tried: number; sold: number } | undefined;
  ts: number;
  validUntil: number;
}
