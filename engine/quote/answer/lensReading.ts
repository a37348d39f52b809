import type { Hex } from 'viem';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { FeedReading, SequencerState } from '../../pools/feedReading.ts';
import type { PoolStatus } from '../../venues/poolStatus.ts';
import type { BandReading } from '../../venues/venueTypes.ts';

/** A pair of tokens and the `statuses` of its candidate pools, in their order. */
export interface PairReading {
  tokenIn: LowerAddress;
  tokenOut: LowerAddress;
  amountIn: bigint;
  statuses: PoolStatus[];
}

/** An existing pool. `pool` is its address, or a 32-byte id on a singleton. */
export interface PoolReading extends BandReading {
  index: number;
  pair: number;
  candidatePool: number;
  status: PoolStatus;
  bandStatus: PoolStatus;
  pool: Hex;
  /** The part of the size that the pool took. */
  used: bigint;
  /** Output that the pool reports as sent. */
  nominal: bigint;
  /** Output that arrived at the receiver. */
  received: bigint;
  /** Input that arrived at the pool; equal to `used` if the swap was not paid. */
  arrived: bigint;
  feePips: number;
  /** First four bytes of the error. */
  reason: Hex;
}

/** A route from tokenIn to tokenOut, by indices of pools. */
export interface MeasuredRoute {
  pools: number[];
  received: bigint;
  /** Gas of its swaps in one execution; 0 if it was not executed as a whole. */
  gas: number;
  /** `gas` is a lower bound. */
  isLeastGas?: true;
}

/** A market at one block: decoded from the quote lens, or built from an executed plan or published quoters. */
export interface LensReading {
  tokenIn: { hasCode: boolean; decimals: number | undefined };
  tokenOut: { hasCode: boolean; decimals: number | undefined };
  /** The size has more decimals than the token, and was rounded down. */
  isSizeTruncated: boolean;
  /** The size in base units exceeds 2^256 - 1. */
  doesSizeOverflow: boolean;
  /** The market could not be measured beyond `depth`. */
  isDepthLowerBound: boolean;
  blockNumber: bigint;
  timestamp: bigint;
  parentHash: Hex;
  amountIn: bigint;
  feed: FeedReading;
  sequencer: SequencerState;
  /** Whether an account holds the size and approved the lens, so that swaps are paid. */
  payerFunded: boolean;
  /** The best route at twice the size. */
  twice: { status: PoolStatus; received: bigint };
  depth: bigint;
  /** Total supply of tokenIn; 0 = unreadable. */
  supply: bigint;
  pairs: PairReading[];
  pools: Map<number, PoolReading>;
  /** Best first; the first is confirmed by one execution. */
  routes: MeasuredRoute[];
  gasUsed: bigint;
}

/** The size exceeds the total supply, so the lens read no pool. */
export const isBeyondSupply = ({ amountIn, supply, pairs }: LensReading) =>
  supply > 0n && amountIn > supply && pairs.length === 0;
