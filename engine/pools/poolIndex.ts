import type { Hex } from 'viem';
import type { LowerAddress } from '../lowerAddress.ts';
import type { EventName } from '../venues/families.ts';

/** A pool as its factory's log describes it, of any two tokens. */
export interface PoolCreation {
  event: EventName;
  factory: LowerAddress;
  /** The pool's address, or its 32-byte id on a singleton. */
  id: Hex;
  currency0: LowerAddress;
  currency1: LowerAddress;
  /** Pips; for a Solidly pool 1 = stable. 0 if the event contains no fee. */
  fee: number;
  tickSpacing: number;
  hooks: LowerAddress;
  blockNumber: number;
}

/** Indexed pools of one token. */
export interface IndexedPools {
  creations: PoolCreation[];
  /** The token has more pools than these. */
  truncated: boolean;
  /** All blocks up to this one were read. */
  scannedTo: bigint;
  /** The longest block range that the nodes accepted; undefined: no limit was reached. */
  longestRange: number | undefined;
  /** The last chain head that this process read; undefined: none yet. */
  seenHead: bigint | undefined;
}

/**
 * Every pool in the covered factories' logs, read in the background, because many nodes refuse logs of all blocks at once.
 * The caller reads the blocks after `scannedTo`.
 */
export interface PoolIndex {
  /** Undefined: no block was read yet. Throws if the storage fails. */
  load(token: LowerAddress): Promise<IndexedPools | undefined>;
  /** Starts indexing soon: a node refused the block range that the index lacks. */
  wake(): void;
}
