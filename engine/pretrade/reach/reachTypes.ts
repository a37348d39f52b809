import type { LowerAddress } from '../../lowerAddress.ts';
import type { ExitPool } from '../exit/exitTypes.ts';

/** A token without a price that sales of the checked token can reach. */
export interface ReachedToken {
  token: LowerAddress;
  /** Its measured pools: each was sold the token until the price fell to a hundredth. */
  pools: readonly ExitPool[];
}

/**
 * The tokens without a price that sales of the checked token can reach. A token with neither a path to a pricing asset nor a
 * measured pool is not listed: it pays nothing.
 */
export type Reach =
  | {
      status: 'read';
      tokens: readonly ReachedToken[];
      /** Why pools of these tokens may be missing; undefined if all were measured. */
      gap: string | undefined;
    }
  /** The search for the tokens ended early. */
  | { status: 'unread'; reason: string };

/** A contract outside the covered factories that answers like a pair of the token. */
export interface OutsidePair {
  pool: LowerAddress;
  counter: LowerAddress;
  /** Balance of the counter-asset. Base units. */
  balance: bigint;
  /** What a simulated sale draws there; undefined: no sale could be simulated. Base units. */
  drawn: bigint | undefined;
}
