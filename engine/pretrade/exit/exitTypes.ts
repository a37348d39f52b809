import type { Hex } from 'viem';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { FeedReading, SequencerState } from '../../pools/decodeStates.ts';
import type { PoolStatus } from '../../venues/poolEntry.ts';

/** What identifies a pool. `counter` is the wrapped native token if the pool holds the native coin. */
export interface PoolFields {
  /** Index in engine/venues/kinds.ts. */
  kind: number;
  /** The pool, or the manager of a singleton. */
  pool: LowerAddress;
  counter: LowerAddress;
  fee: number;
  tickSpacing: number;
  hooks: LowerAddress;
}

/** A pool from the factories' logs. */
export interface LoggedPool extends PoolFields {
  venue: string;
}

/** The result of a getter. `ok`: the token has code and returned a word. */
export interface WordReading {
  ok: boolean;
  word: bigint;
}

/** The first five words that name() or symbol() returned, and the number of words returned. */
export interface TextReading {
  ok: boolean;
  size: number;
  words: Hex;
}

/** A base asset with its price feed. */
export interface BaseReading extends FeedReading {
  token: LowerAddress;
  tokenDecimals: number | undefined;
}

/** One pool, with the result of selling the token to it until the price has fallen to a hundredth. */
export interface ExitPool extends PoolFields {
  /** Index among the candidate pools; undefined for a pool from logs. */
  candidatePool: number | undefined;
  /** The pool's address, or its 32-byte id on a singleton. */
  id: Hex;
  status: PoolStatus;
  /** Amount of the token sold. Base units. */
  used: bigint;
  /** Amount of the counter-asset received. Base units. */
  drawn: bigint;
  /** Upper bound of the counter-asset that sales can draw; undefined: unknown, and `drawn` is a lower bound. */
  most: bigint | undefined;
  /** sqrtPriceX96, or the reserve of the token on pairs. */
  price: bigint;
  /** Liquidity in range, or the reserve of the counter-asset on pairs. */
  other: bigint;
}

/**
 * Sale of the counter-asset received from a pool: for a base asset or, if it is a base asset itself, for the native coin.
 */
interface SecondHop {
  /** Index in `exits`. */
  exit: number;
  /** Index in `bases`. */
  base: number;
  received: bigint;
  /** The pool or the manager of a singleton; zero if no pool filled the sale. */
  pool: LowerAddress;
}

/** The result of one ExitLens call, at one block. */
export interface ExitReading {
  blockNumber: bigint;
  timestamp: bigint;
  parentHash: Hex;
  baseFee: bigint;
  hasCode: boolean;
  codeHash: Hex;
  decimals: number | undefined;
  totalSupply: bigint | undefined;
  owner: WordReading;
  getOwner: WordReading;
  /** The token returned a value for a selector that no token implements, so its getters cannot be trusted. */
  answersEverything: boolean;
  name: TextReading;
  symbol: TextReading;
  /** In the order of the query. */
  getters: WordReading[];
  /** In the order of the query's holders; undefined: unreadable. */
  balances: (bigint | undefined)[];
  sequencer: SequencerState;
  bases: BaseReading[];
  /** Status of each candidate pool, by counter-asset. */
  pairs: { counter: LowerAddress; statuses: PoolStatus[] }[];
  exits: ExitPool[];
  hops: SecondHop[];
}
