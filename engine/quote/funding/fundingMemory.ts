import type { LowerAddress } from '../../lowerAddress.ts';
import { LruMap } from '../../lruMap.ts';
import type { StorageLocation } from './storageLocations.ts';

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

/** `unknown`: no account can be funded. */
export type KnownFunding = Funding | 'unknown';

/** A bounded cache by token; storage layouts rarely change. */
export interface FundingMemory {
  find(token: LowerAddress): KnownFunding | undefined;
  remember(token: LowerAddress, funding: KnownFunding): void;
  forget(token: LowerAddress): void;
}

const maxTokens = 20_000;
/** `unknown` may be caused by one node, so it expires and another node is tried. */
const unknownMs = 600_000;

export function createFundingMemory(now: () => number): FundingMemory {
  const kept = new LruMap<LowerAddress, { funding: KnownFunding; until: number }>(maxTokens);
  return {
    find(token) {
      const entry = kept.get(token);
      return entry && now() < entry.until ? entry.funding : undefined;
    },
    remember(token, funding) {
      const until = funding === 'unknown' ? now() + unknownMs : Number.POSITIVE_INFINITY;
      kept.set(token, { funding, until });
    },
    forget: (token) => kept.delete(token),
  };
}
