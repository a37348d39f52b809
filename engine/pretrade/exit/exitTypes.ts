import type { Hex } from 'viem';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { FeedReading, SequencerState } from '../../pools/feedReading.ts';
import type { SlotStatus } from '../../pools/slotStatus.ts';

/** A pool that the factories' logs named; `counter` is the wrapped token where the pool holds the native one. */
export interface KnownPool {
  kind: number;
  /** The pool, or the manager of a singleton. */
  pool: LowerAddress;
  counter: LowerAddress;
  fee: number;
  tickSpacing: number;
  hooks: LowerAddress;
  venue: string;
}

/** A word from the token: read, or not answered. */
export interface WordReading {
  ok: boolean;
  word: bigint;
}

/** The first five words of what name() or symbol() returned, and how many there were. */
export interface TextReading {
  ok: boolean;
  size: number;
  words: Hex;
}

export interface BaseReading extends FeedReading {
  token: LowerAddress;
  tokenDecimals: number | undefined;
}

/** One pool and what came out of it when all that it takes down to a hundredth of the price was sold. */
export interface ExitPool {
  /** Index of the slot that found it; undefined for a pool known from logs. */
  slot: number | undefined;
  /** The pool's address, or its 32-byte id on a singleton. */
  id: Hex;
  kind: number;
  /** The pool, or the manager of a singleton. */
  pool: LowerAddress;
  counter: LowerAddress;
  fee: number;
  tickSpacing: number;
  hooks: LowerAddress;
  status: SlotStatus;
  /** Token sold, and counter-asset that came out. Base units. */
  used: bigint;
  drawn: bigint;
  /** What no sale can exceed; undefined: not known, so `drawn` is a lower bound. */
  most: bigint | undefined;
  /** sqrtPriceX96, or the reserve of the token on pairs. */
  price: bigint;
  /** Liquidity in range, or the reserve of the counter-asset on pairs. */
  other: bigint;
  /** Singletons: how much of the token a purchase without end brings out. */
  stockStatus: SlotStatus;
  stock: bigint;
}

/** The drawn counter-asset sold on: what came out in a base asset. Of a base asset itself: in the native one. */
interface SecondHop {
  exit: number;
  base: number;
  received: bigint;
  /** Where, or the manager of a singleton; zero when nowhere. */
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
  /** The token answers a function that no token has, so its getters prove nothing. */
  answersEverything: boolean;
  name: TextReading;
  symbol: TextReading;
  /** In the order asked. */
  getters: WordReading[];
  /** In the order asked; undefined: not readable. */
  balances: (bigint | undefined)[];
  sequencer: SequencerState;
  bases: BaseReading[];
  /** What each slot came to, by counter-asset. */
  pairs: { counter: LowerAddress; statuses: SlotStatus[] }[];
  exits: ExitPool[];
  hops: SecondHop[];
}
