import type { Address, Hex } from 'viem';
import type { BandReading } from '../venues/venueTypes.ts';

/** The result of one look at one slot. `thin`: too little liquidity to matter for the size. None, unread and not asked stay apart. */
export const slotStatuses = [
  'not-asked',
  'no-factory',
  'no-pool',
  'empty',
  'filled',
  'partial',
  'rejected',
  'unread',
  'outbid',
  'thin',
] as const;

export type SlotStatus = (typeof slotStatuses)[number];

/** A pair of tokens that every slot was asked for; `statuses` is in the order of the slots. */
export interface PairReading {
  tokenIn: Address;
  tokenOut: Address;
  amountIn: bigint;
  statuses: SlotStatus[];
}

/** A pool that is there. `pool` is its address, or a 32-byte id on a singleton. */
export interface PoolReading extends BandReading {
  index: number;
  pair: number;
  slot: number;
  status: SlotStatus;
  bandStatus: SlotStatus;
  pool: Hex;
  /** How much of the size it took. */
  used: bigint;
  /** Sent, as the pool reports, and received. */
  nominal: bigint;
  received: bigint;
  /** What its payment came to at the pool; `used` where it was not paid. */
  arrived: bigint;
  feePips: number;
  /** First four bytes of the error. */
  reason: Hex;
}

/** A way from tokenIn to tokenOut, by indices of pools. */
export interface CandidateReading {
  pools: number[];
  received: bigint;
  /** What its swaps took when it ran as one; 0 = it did not. */
  gas: number;
}

export interface FeedReading {
  read: boolean;
  /** 0 when the feed's answer is not above zero. */
  answer: bigint;
  updatedAt: bigint;
  decimals: number;
}

export interface BaseFeedReading extends FeedReading {
  token: Address;
  tokenDecimals: number;
}

export type SequencerState = 'none' | 'up' | 'down' | 'unread';

/** The answer of one lens call, at one block. */
export interface LensReading {
  tokenIn: { hasCode: boolean; decimals: number | undefined };
  tokenOut: { hasCode: boolean; decimals: number | undefined };
  sizeCut: boolean;
  sizeOverflow: boolean;
  /** The amount is unknown: the bands of tokenIn against the base assets were measured instead. */
  surveyed: boolean;
  depthOpen: boolean;
  blockNumber: bigint;
  timestamp: bigint;
  parentHash: Hex;
  amountIn: bigint;
  feed: FeedReading;
  sequencer: SequencerState;
  /** 1: an account held the size and had approved the lens, so that the sale was really paid; 0: none did. */
  holder: number;
  /** The winner at twice the size. */
  twice: { status: SlotStatus; received: bigint };
  depth: bigint;
  /** Total supply of tokenIn; 0 = unreadable. */
  supply: bigint;
  pairs: PairReading[];
  pools: Map<number, PoolReading>;
  /** Best first; the first is proven as one execution. */
  candidates: CandidateReading[];
  baseFeeds: BaseFeedReading[];
  gasUsed: bigint;
}

/** The size exceeds the total supply, so the lens read no pool. */
export const isBeyondSupply = ({ amountIn, supply, pairs }: LensReading) =>
  supply > 0n && amountIn > supply && pairs.length === 0;
