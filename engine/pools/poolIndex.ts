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

/** A weighted pool of Balancer. The log of its factory contains no token and no key: both addresses and all numbers are 0. */
export type WeightedCreation = Omit<PoolCreation, 'event'> & { event: 'weighted' };

/** A pool as an index stores it. */
export type IndexedCreation = PoolCreation | WeightedCreation;

/** Indexed pools of one token. */
export interface IndexedPools<Creation = PoolCreation> {
  creations: Creation[];
  /** There are more pools than these. */
  truncated: boolean;
  /** All blocks up to this one were read; -1: not even the first one. */
  scannedTo: bigint;
  /** The newest blocks that were read without a gap. The index reads backwards, so earlier ones may be missing. */
  newest: { from: bigint; to: bigint };
  /** The longest block range that the nodes accepted; undefined: no limit was reached. */
  longestRange: number | undefined;
  /** The last chain head that this process read; undefined: none yet. */
  seenHead: bigint | undefined;
}

/** The progress of an index. */
export interface PoolIndexState {
  /**
   * `idle`: the nodes return logs of all blocks, so no index is needed. `complete`: all settled blocks were read.
   * `failing`: the last pass failed; the next one continues.
   */
  status: 'idle' | 'scanning' | 'complete' | 'failing';
  /** Settled blocks that were not read; undefined: not known yet. */
  blocksLeft: number | undefined;
  /** The last settled block when the pass began; undefined: not read yet. */
  target: number | undefined;
  /** Percentage of the settled blocks, rounded down. Blocks before the first factory count as read. */
  percent: number;
  /** At the pace of this process; undefined: no pace was measured, or nothing is left. */
  secondsLeft: number | undefined;
  /** Why the last pass failed. */
  reason: string | undefined;
}

/**
 * Every pool in the covered factories' logs, read in the background, because many nodes refuse logs of all blocks at once.
 * The caller reads the blocks that are missing (`tailAfter`).
 */
export interface PoolIndex {
  /** Undefined: no block was read yet. Throws if the storage fails. */
  load(token: LowerAddress): Promise<IndexedPools | undefined>;
  /** Starts indexing soon: a node refused the block range that the index lacks. */
  wake(): void;
  /** From memory, without a request. */
  state(): PoolIndexState;
}

/** The weighted pools of Balancer in an index. */
export interface WeightedIndex {
  /** Undefined: no block was read yet. Throws if the storage fails. */
  loadWeighted(): Promise<IndexedPools<WeightedCreation> | undefined>;
}
