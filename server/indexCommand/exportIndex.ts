import { type ChainName, chainIds, type IndexedCreation, type PoolEvents } from '../../engine/index.ts';
import type { PoolIndexReader } from '../storage/index.ts';
import { type IndexSummary, writeIndexFile } from './indexFile.ts';
import { IndexFileError } from './indexFileError.ts';

const pageSize = 5_000;

/**
 * Writes the index of a chain to a new file, while the service runs: each page is a short read of its own.
 * @throws {IndexFileError} if the index is empty, or a reorganisation changed it meanwhile
 */
export async function exportIndex(
  chain: ChainName,
  { scope, filter }: PoolEvents,
  index: PoolIndexReader,
  file: string,
): Promise<IndexSummary> {
  const ranges = await index.loadRanges(scope);
  const newest = ranges.at(-1);
  const anchor = (await index.loadCheckpoints(scope)).find(({ block }) => block === newest?.to);
  if (!newest || !anchor) throw new IndexFileError(file, `the index of ${chain} has no blocks yet`);
  const isCovered = ({ blockNumber }: IndexedCreation) =>
    ranges.some(({ from, to }) => from <= blockNumber && blockNumber <= to);

  async function* pages() {
    let after: IndexedCreation | undefined;
    for (;;) {
      const page = await index.loadPage(scope, after, pageSize);
      after = page.at(-1);
      if (!after) break;
      yield page.filter(isCovered);
    }
    // A reorganisation deletes the checkpoints that it replaced. Older ones than are kept are no sign of one.
    const checkpoints = await index.loadCheckpoints(scope);
    const oldest = checkpoints.at(-1);
    const isKept = checkpoints.some(({ block, hash }) => block === anchor?.block && hash === anchor.hash);
    if (!isKept && (oldest === undefined || oldest.block <= (anchor?.block ?? 0)))
      throw new IndexFileError(file, 'a reorganisation changed the index during the export; repeat it');
  }
  return writeIndexFile(
    file,
    {
      chain,
      chainId: chainIds[chain],
      scope,
      factories: [...filter.address],
      ranges: ranges.map(({ from, to }) => [from, to]),
      anchor,
    },
    pages(),
  );
}
