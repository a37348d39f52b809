import type { BlockRef } from './blockRef.ts';

/** The heads of healthy nodes differ by less. Shorter than a pruned node keeps states of Base: 128, or 26 s. */
const farSeconds = 20n;
/** Less than any served chain produces in `farSeconds`: a head with a smaller difference has a wrong time. */
const leastBlocks = 5n;
/** Older heads do not count: their node may have failed since. */
const recentMs = 30_000;
/** Heads further in the future do not count: clocks differ by less. */
const aheadMs = 300_000;

/**
 * Whether another node recently returned a block far ahead of this one, by time and by number. A wrong number or a wrong
 * time alone does not count, so that one faulty node cannot exclude correct ones.
 */
export function farBehind(
  { number, timestamp }: BlockRef,
  others: readonly ({ block: BlockRef; at: number } | undefined)[],
  nowMs: number,
): boolean {
  return others.some((head) => {
    if (head === undefined || nowMs - head.at > recentMs) return false;
    const { block } = head;
    const isAhead = block.number - number > leastBlocks && block.timestamp - timestamp > farSeconds;
    return isAhead && Number(block.timestamp) * 1000 <= nowMs + aheadMs;
  });
}
