import type { BlockRef } from './blockRef.ts';
import type { ChainName } from './chains.ts';

/** About 20 s of blocks: more than nodes of one chain differ while they are well. */
const farBlocks: Record<ChainName, bigint> = { base: 10n, polygon: 10n, arbitrum: 80n };
/** As many blocks take at least half of that: who claims them in less time has made the number up. */
const farSeconds = 10n;
/** Older heads say nothing about now; the node that showed one may be gone itself. */
const recentMs = 30_000;
/** A block from further ahead than clocks differ is nobody's to fall behind of. */
const aheadMs = 300_000;

/**
 * Whether another node has lately shown a block that is far ahead of this one, by number and by time: a liar's number
 * alone keeps no honest node from being believed.
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
    const isAhead = block.number - number > farBlocks[chain] && block.timestamp - timestamp > farSeconds;
    return isAhead && Number(block.timestamp) * 1000 <= nowMs + aheadMs;
  });
}
