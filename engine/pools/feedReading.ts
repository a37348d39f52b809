/** The latest round of a Chainlink feed. */
export interface FeedReading {
  read: boolean;
  /** 0 when the feed's answer is not above zero. */
  answer: bigint;
  /** Seconds since the epoch. */
  updatedAt: bigint;
  decimals: number;
}

export type SequencerState = 'none' | 'up' | 'down' | 'unread';
