import type { Hex } from 'viem';
import type { LowerAddress } from '../lowerAddress.ts';
import type { CandidatePool } from './candidatePool.ts';
import type { PoolEntry, StateForm } from './poolEntry.ts';
import type { PoolRef, PoolState } from './poolTypes.ts';
import type { V4PoolKey } from './uniswapV4/poolKey.ts';
import type { BandReading, Direction, Mid, V4PoolShape, VenueRow } from './venueTypes.ts';

/**
 * Exchanges with the same code: all that the engine has to know about them. The maths of their states are in `models`. A
 * fork is a row of a deployment, a new family an object of this type in `families`.
 */
export interface VenueFamily<Row = VenueRow, Event extends string = string> {
  /** The kinds of its candidate pools. */
  kinds: readonly number[];
  /**
   * The candidate pools of a row for any pair, in the order of the lens's look-ups. Empty if its factory has no look-up by
   * tokens.
   */
  toCandidatePools(row: Row, extraShapes: readonly V4PoolShape[]): CandidatePool[];
  /** The fee-free mid from a lens's band; undefined if the band shows none. */
  bandMid(reading: BandReading, direction: Direction, candidatePool: CandidatePool): Mid | undefined;
  /** Decoders of its pools' states; undefined for values that no pool can have. */
  states: { readonly [Form in StateForm]?: (entry: PoolEntry) => PoolState | undefined };
  /** Events of its factories, by name. A stored pool index contains the names. */
  events: Readonly<Record<Event, CreationEvent>>;
  addresses: PoolAddresses;
  /** Whether the fee of a pool can be another one in the next block, without a trade in this one. */
  feeByBlock(ref: PoolRef, state: PoolState): FeeByBlock;
  /** The key of a pool for calls of its singleton, for two tokens. Undefined if its pools have addresses. */
  poolKey(
    candidatePool: CandidatePool,
    tokens: readonly [LowerAddress, LowerAddress],
    wrappedNative: LowerAddress,
  ): V4PoolKey<LowerAddress> | undefined;
}

/** `module`: only if the factory has a fee module (Slipstream's `swapFeeModule`). */
type FeeByBlock = 'no' | 'yes' | 'module';

/** How calls and answers refer to a pool. */
export interface PoolAddresses {
  /** The id from 32 bytes of a lens's answer, as hex digits. */
  toId(word: string): Hex;
  /** What a swap changes. Pools that share it change each other. */
  contractOf(ref: PoolRef): Hex;
  /** A leg's `pool` in calls of the lenses: the pool, or the manager of a singleton. */
  swapsAt(ref: PoolRef): Hex;
  /** A leg's `hooks` in calls of the lenses. */
  hooksOf(ref: PoolRef): LowerAddress;
  /** `PoolInput.other` of contracts/lens/StateTypes.sol. */
  otherOf(ref: PoolRef): LowerAddress;
  /** The pool in responses, before an address is checksummed. */
  publicId(ref: PoolRef): Hex;
}

/** A pool creation event. The two currencies are indexed, one after the other. */
export interface CreationEvent {
  topic: Hex;
  /** The topic of the first currency. */
  currencyTopic: 1 | 2;
  /** The kind of a pool that only a log contains, unless `toCandidatePoolFields` returns one. */
  kind: number;
  /** A look-up by pair does not find the pool, even if the factory also logs it as the pair's own. */
  isCustom?: boolean;
  /**
   * @param topics in lower case
   * @param words of the data; a missing one counts as 0
   */
  decode(topics: readonly Hex[], words: readonly bigint[]): CreatedPool;
  /** The fields that the event contains. A candidate pool with the same fields finds the pool. */
  toCandidatePoolFields(creation: Required<CreatedPool> & { currency0: LowerAddress }): Partial<CandidatePool>;
}

/** The id of a created pool, and the parts of its key that the event contains. */
interface CreatedPool {
  id: Hex;
  fee?: number;
  tickSpacing?: number;
  hooks?: LowerAddress;
}

/** Each pool is a contract, which holds its tokens. */
export const ownContract: PoolAddresses = {
  toId: (word) => `0x${word.slice(24)}`,
  contractOf: ({ id }) => id,
  swapsAt: ({ id }) => id,
  hooksOf: ({ candidatePool }) => candidatePool.hooks,
  otherOf: ({ candidatePool }) => candidatePool.factory,
  publicId: ({ id }) => id,
};
