import { deployments } from '../venues/deployments/deployments.ts';
import type { BlockRef } from './blockRef.ts';
import type { ChainName } from './chains.ts';

/** `farBlocks` blocks take at least this long. A head with a smaller time difference has a wrong number. */
const farSeconds = 10n;
/** Older heads do not count: their node may have failed since. */
const recentMs = 30_000;
/** Heads further in the future do not count: clocks differ by less. */
const aheadMs = 300_000;

/**
 * Whether another node recently returned a block far ahead of this one, by number and by timestamp. A wrong number alone
 * does not count, so that one faulty node cannot exclude correct ones.
 */
export function farBehind(
  chain: ChainName,
  { number, timestamp }: BlockRef,
  others: readonly ({ block: BlockRef; at: number } | undefined)[],
  nowMs: number,
): boolean {
  return others.some((head) => {
    if (head === undefined || nowMs - head.at > recentMs) return false;
    const { block } = head;
    const isAhead = block.number - number > deployments[chain].farBlocks && block.timestamp - timestamp > farSeconds;
    return isAhead && Number(block.timestamp) * 1000 <= nowMs + aheadMs;
  });
}
