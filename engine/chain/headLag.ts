import type { BlockRef } from './blockRef.ts';
import type { ChainName } from './chains.ts';

/** About 20 s of blocks: more than nodes of one chain differ while they are well. */
const farBlocks: Record<ChainName, bigint> = { base: 10n, polygon: 10n, arbitrum: 80n };
/** Older heads say nothing about now; the node that showed one may be gone itself. */
const recentMs = 30_000;

/** Whether another node has lately shown a block that is far ahead of this one. */
export function farBehind(
  chain: ChainName,
  { number }: BlockRef,
  others: readonly ({ block: BlockRef; at: number } | undefined)[],
  nowMs: number,
): boolean {
  return others.some(
    (head) => head !== undefined && nowMs - head.at <= recentMs && head.block.number - number > farBlocks[chain],
  );
}
