import { type BlockRef, blockTimeMs } from './blockRef.ts';

/** Time between two heads from which the interval is computed: timestamps are whole seconds. */
const leastSpanMs = 10_000;
/** The measurement begins anew after this time, so that a changed interval is noticed. */
const longestSpanMs = 120_000;
/** Milliseconds between blocks of the fastest chain, until this chain's are measured. */
const fastestMs = 200;
/** A shorter interval is a wrong number of a head. */
const leastMs = 50;

/** Milliseconds between the blocks of one chain, measured from the heads that its nodes returned. */
export interface BlockPace {
  saw(block: BlockRef): void;
  /** The number of blocks that the chain produces in this time, rounded up. Not below the truth before it is measured. */
  blocksIn(seconds: number): bigint;
}

/**
 * Some requests name blocks although a time is meant. The interval is measured, not derived from the chain's name: Base
 * changed from two seconds to 200 ms, Polygon to less than two seconds.
 */
export function createBlockPace(): BlockPace {
  let first: { number: bigint; timeMs: number } | undefined;
  let measuredMs = fastestMs;
  return {
    saw(block) {
      const seen = { number: block.number, timeMs: blockTimeMs(block) };
      // After a reorganisation or a wrong number the head may be lower.
      if (!first || seen.number < first.number) first = seen;
      const spanMs = seen.timeMs - first.timeMs;
      if (spanMs < leastSpanMs || seen.number === first.number) return;
      measuredMs = Math.max(leastMs, spanMs / Number(seen.number - first.number));
      if (spanMs >= longestSpanMs) first = seen;
    },
    blocksIn: (seconds) => BigInt(Math.ceil((seconds * 1_000) / measuredMs)),
  };
}
