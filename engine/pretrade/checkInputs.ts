import type { LowerAddress } from '../lowerAddress.ts';
import type { Market } from '../quote/market/market.ts';
import type { QuoteQuery } from '../quote/quoteTypes.ts';
import type { VendorFacts, VendorResult } from './fetchVendorFacts.ts';
import type { HolderMove } from './pretradePorts.ts';
import type { PretradeEnvironment, TokenReading } from './tokenReading.ts';

/** A balance read at the block. `listed`: the source listed its holder. */
export interface ReadBalance {
  address: LowerAddress;
  balance: bigint;
  listed: boolean;
}

/** Balances of the candidates and of the known pools, read on chain at one block. */
export interface HolderBalances {
  blockNumber: bigint;
  balances: ReadBalance[];
  /** Number of balances that could not be read. */
  unread: number;
  /** Those of `unread` whose holders the source listed. */
  unreadListed: number;
}

/** All input of one answer. */
export interface CheckInputs {
  environment: PretradeEnvironment;
  token: LowerAddress;
  sizeUsd: string;
  marketQuery: QuoteQuery;
  reading: TokenReading;
  /** The market with its best plan. `unread`: the node failed, so routes may be missing. Undefined: there is none to read. */
  planned: Market | 'unread' | undefined;
  vendors: VendorFacts;
  holderBalances: HolderBalances | undefined;
  creatorBalance: bigint | undefined;
  topHolderMove: VendorResult<HolderMove>;
  /** Number of holders whose sale was simulated, and of those who could sell. */
  holderSales: { tried: number; sold: number } | undefined;
  ts: number;
  validUntil: number;
}

/** Base assets have their feeds in the exit reading. */
export function ownFeedOf({ token, reading }: Pick<CheckInputs, 'token' | 'reading'>) {
  return reading.exit.bases.find((base) => base.token === token) ?? reading.feed;
}
