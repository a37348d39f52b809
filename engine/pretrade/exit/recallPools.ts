import type { BlockPace } from '../../chain/blockPace.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { IndexedPools, PoolCreation, PoolIndex } from '../../pools/poolIndex.ts';
import { type LogTail, tailAfter } from '../../pools/poolLogs.ts';
import type { TokenMemory } from '../tokenMemory.ts';

/** A reorganisation may still replace blocks of this age. Every check reads their logs again. */
const unsettledSeconds = 60;
/** The least number of such blocks: a chain that mines on demand has long intervals. */
const leastUnsettled = 64n;

/** The first block that a reorganisation may still have replaced since a read of all blocks up to `scannedTo`. */
export function firstUnsettled(scannedTo: bigint, { blocksIn }: Pick<BlockPace, 'blocksIn'>): bigint {
  const measured = blocksIn(unsettledSeconds);
  const first = scannedTo - (measured > leastUnsettled ? measured : leastUnsettled);
  return first > 0n ? first : 0n;
}

/** The token's pools from memory or the index, and the blocks whose logs must still be read. */
export interface RecalledPools {
  creations: PoolCreation[];
  /** `creations` and the remembered pools of blocks that are read again. They probably still exist. */
  likely: PoolCreation[];
  truncated: boolean;
  tail: LogTail;
  /** Whether pools of all blocks are known once the tail is read; else the index lacks earlier blocks. */
  isComplete: boolean;
  /** Status of the index of all pools; undefined: there is no index. */
  index:
    | ({ status: 'read' } & Pick<IndexedPools, 'scannedTo' | 'newest'>)
    | { status: 'empty' }
    | { status: 'unread' }
    | undefined;
}

export interface PoolRecall {
  pools: PoolIndex | undefined;
  token: LowerAddress;
  memory: Pick<TokenMemory, 'pools' | 'poolsTruncated' | 'scannedTo'> | undefined;
  /** Number of the last head read; 0: none yet. */
  head: bigint;
  /** For a base asset the index omits most pools (`poolEventsOf`). */
  isBase: boolean;
  pace: Pick<BlockPace, 'blocksIn'>;
}

/** Recalls the token's pools from an earlier check, or from the index of all pools if it is newer. */
export async function recallPools({ pools, token, memory, head, isBase, pace }: PoolRecall): Promise<RecalledPools> {
  const remembered = memory?.scannedTo === undefined ? undefined : firstUnsettled(memory.scannedTo, pace);
  const index = pools && (await loadIndex(pools, token));
  const { longestRange: longest, seenHead = 0n } = index?.status === 'read' ? index : {};
  const highest = head > seenHead ? head : seenHead;
  const known = highest > 0n ? highest : undefined;
  if (index?.status === 'read') {
    const { tail, isComplete } = tailAfter(index, known);
    if (remembered === undefined || (isComplete && index.scannedTo >= remembered)) {
      // Pools of blocks that are read again are in their logs.
      const creations = index.creations.filter(({ blockNumber }) => BigInt(blockNumber) < tail.from);
      const newer = memory?.pools.filter(({ blockNumber }) => BigInt(blockNumber) >= tail.from) ?? [];
      const likely = [...creations, ...newer];
      return { creations, likely, truncated: index.truncated || isBase, tail, isComplete, index };
    }
  }
  const from = remembered ?? 0n;
  const likely = memory?.pools ?? [];
  const creations = likely.filter(({ blockNumber }) => BigInt(blockNumber) < from);
  const truncated = memory?.poolsTruncated ?? false;
  return { creations, likely, truncated, tail: { from, seenHead: known, longest }, isComplete: true, index };
}

type IndexReply = ({ status: 'read' } & IndexedPools) | { status: 'empty' } | { status: 'unread' };

async function loadIndex(pools: PoolIndex, token: LowerAddress): Promise<IndexReply> {
  try {
    const indexed = await pools.load(token);
    return indexed ? { status: 'read', ...indexed } : { status: 'empty' };
  } catch {
    // Without the index, this check reads the logs itself.
    return { status: 'unread' };
  }
}
