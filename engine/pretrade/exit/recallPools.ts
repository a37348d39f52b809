import type { LowerAddress } from '../../lowerAddress.ts';
import type { IndexedPools, PoolCreation, PoolIndex } from '../../pools/poolIndex.ts';
import type { LogTail } from '../../pools/poolLogs.ts';
import type { TokenMemory } from '../tokenMemory.ts';

/** Blocks this young may still be replaced by others: their logs are asked for anew each time. */
export const unsettledBlocks = 64n;

/** What is known of a token's pools before the chain is asked, and from where on it has to be. */
export interface RecalledPools {
  creations: PoolCreation[];
  /** The same with those of blocks that are asked for again: they are most likely there still. */
  likely: PoolCreation[];
  truncated: boolean;
  tail: LogTail;
  /** What the index came to; undefined: there is none, or it was not needed. */
  index: { status: 'read'; scannedTo: bigint } | { status: 'empty' } | { status: 'unread' } | undefined;
}

export interface PoolRecall {
  pools: PoolIndex | undefined;
  token: LowerAddress;
  memory: Pick<TokenMemory, 'pools' | 'poolsTruncated' | 'scannedTo'> | undefined;
  /** The last head that was seen; 0: none was. */
  head: bigint;
  /** Of a base asset the index leaves most pools out (`poolEventsOf`). */
  isBase: boolean;
}

/** From the memory of an earlier check, or from the index of all pools where that is fresher. */
export async function recallPools({ pools, token, memory, head, isBase }: PoolRecall): Promise<RecalledPools> {
  const remembered = memory?.scannedTo === undefined ? 0n : atLeastZero(memory.scannedTo - unsettledBlocks);
  const index = pools && (await askIndex(pools, token));
  const { longestRange: longest, seenHead = 0n } = index?.status === 'read' ? index : {};
  const highest = head > seenHead ? head : seenHead;
  const tail = { seenHead: highest > 0n ? highest : undefined, longest };
  if (index?.status === 'read' && index.scannedTo >= remembered) {
    const { creations, truncated, scannedTo } = index;
    const young = memory?.pools.filter(({ blockNumber }) => BigInt(blockNumber) > scannedTo) ?? [];
    const likely = [...creations, ...young];
    return { creations, likely, truncated: truncated || isBase, tail: { ...tail, from: scannedTo + 1n }, index };
  }
  const likely = memory?.pools ?? [];
  const creations = likely.filter(({ blockNumber }) => BigInt(blockNumber) < remembered);
  const truncated = memory?.poolsTruncated ?? false;
  return { creations, likely, truncated, tail: { ...tail, from: remembered }, index };
}

type IndexReply = ({ status: 'read' } & IndexedPools) | { status: 'empty' } | { status: 'unread' };

async function askIndex(pools: PoolIndex, token: LowerAddress): Promise<IndexReply> {
  try {
    const indexed = await pools.load(token);
    return indexed ? { status: 'read', ...indexed } : { status: 'empty' };
  } catch {
    // A failed index read costs time only; pools that could not be read are reported as unread.
    return { status: 'unread' };
  }
}

const atLeastZero = (block: bigint) => (block < 0n ? 0n : block);
