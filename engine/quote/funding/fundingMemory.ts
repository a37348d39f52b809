import type { Address } from 'viem';
import type { LowerAddress } from '../../lowerAddress.ts';
import { Memory } from '../../memory.ts';
import type { StorageLocation } from './storageLocations.ts';

/** An account that approved the lens, and its minimum balance of tokenIn. */
export interface Payer {
  account: Address;
  amount: bigint;
}

/** How to give an account a balance and an allowance of a token for the duration of a call. */
export interface Funding {
  decimals: number;
  /** 0 = unreadable. No funded account holds more. */
  supply: bigint;
  balances: StorageLocation;
  /** A stored value and the balance that the token reported for it. Equal if it stores balances unscaled. */
  sample: { stored: bigint; balance: bigint };
  allowances: StorageLocation;
}

/** An account that can give a token to others inside a call, for a token whose storage slots are not known. */
export interface FundingSource {
  account: LowerAddress;
  way: 'transfer' | 'mint';
  /** What it sent in a trial, and what arrived. */
  sent: bigint;
  received: bigint;
}

/** How to fund accounts by calls of a source. */
export interface SourcedFunding extends Pick<Funding, 'decimals' | 'supply'> {
  source: FundingSource;
}

/** `unknown`: no account can be funded. */
export type KnownFunding = Funding | SourcedFunding | 'unknown';

export const isSourced = (funding: Funding | SourcedFunding): funding is SourcedFunding => 'source' in funding;

/** By token; storage layouts rarely change. */
export type FundingMemory = Memory<LowerAddress, KnownFunding>;

/** How accounts are funded with a token; undefined if that is impossible or not known yet. */
export function fundingOf(memory: FundingMemory, token: LowerAddress): Funding | SourcedFunding | undefined {
  const known = memory.get(token);
  return known === 'unknown' ? undefined : known;
}

const maxTokens = 20_000;
/** `unknown` may be caused by one node, and a source may spend its balance, so both expire. */
const unknownMs = 600_000;

export const createFundingMemory = (now: () => number): FundingMemory =>
  new Memory({
    maxEntries: maxTokens,
    keptMs: (funding) => (funding === 'unknown' || isSourced(funding) ? unknownMs : Number.POSITIVE_INFINITY),
    now,
  });
