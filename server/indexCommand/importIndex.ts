import { randomInt } from 'node:crypto';
import { type ChainName, chainIds, type IndexedCreation, type PoolEvents } from '../../engine/index.ts';
import type { PoolIndexStore } from '../storage/index.ts';
import { type LogRpc, poolText, readBlockHash, readChainId, readPoolsOf } from '../vendors/index.ts';
import { type IndexHeader, type IndexSummary, readIndexFile } from './indexFile.ts';
import { IndexFileError } from './indexFileError.ts';

export interface ImportTarget {
  chain: ChainName;
  events: PoolEvents;
  store: PoolIndexStore;
  rpc: LogRpc;
}

/** A range of blocks, and the pools that the file has of them. */
interface Sample {
  from: number;
  to: number;
  pools: IndexedCreation[];
}

/** Ranges of the file that are compared with a node: half at random blocks, half at random pools. */
const samples = 40;
/** Blocks of one of them. */
const sampleSize = 500;

/**
 * Imports an exported index, after it was compared with a node. A sample finds a file that omits many pools, and not one
 * that omits a few. So the operator names the hash of a file whose author is trusted; then its blocks count as read. Each
 * imported pool is used only after a node has confirmed it.
 *
 * @param sha256 the hash that the author of the file published
 * @param random an integer from 0 to below its argument
 * @throws {IndexFileError} nothing counts as read
 */
export async function importIndex(
  file: string,
  sha256: string,
  open: (chain: string) => ImportTarget,
  random: (below: number) => number = randomInt,
): Promise<IndexSummary> {
  const picked = createPicker(random);
  const summary = await readIndexFile(file, (pools) => picked.add(pools));
  const { header } = summary;
  if (summary.sha256 !== sha256.toLowerCase())
    throw new IndexFileError(file, `its content has the SHA-256 ${summary.sha256}, not ${sha256}`);
  const target = open(header.chain);
  await assertSameChain(file, header, target);
  await assertSample(file, picked.ranges(header), target);
  const { events, store } = target;
  // Pools without a range never make an answer conclusive, so an interrupted import does no harm.
  const read = await readIndexFile(file, (pools) => store.importPools(events.scope, pools));
  if (read.sha256 !== summary.sha256) throw new IndexFileError(file, 'the file changed while it was read');
  const ranges = header.ranges.map(([from, to]) => ({ from, to }));
  await store.importRanges(events.scope, ranges, header.anchor as Parameters<PoolIndexStore['importRanges']>[2]);
  return summary;
}

async function assertSameChain(file: string, header: IndexHeader, { chain, events, rpc }: ImportTarget) {
  const fail = (reason: string) => new IndexFileError(file, reason);
  const chainId = await readChainId(rpc);
  if (header.chainId !== chainIds[chain] || header.chainId !== chainId)
    throw fail(`it is for chain ${header.chainId}, but the node of ${chain} serves chain ${chainId}`);
  if (header.scope !== events.scope)
    throw fail('it covers other factories or events: export it with this version of truefill');
  const { block, hash } = header.anchor;
  const current = await readBlockHash(rpc, block);
  if (current !== hash) throw fail(`block ${block} has the hash ${hash} there, and ${current ?? 'none'} on the node`);
}

/** Compares parts of the file with the logs of a node, in both directions. */
async function assertSample(file: string, parts: Sample[], { events, rpc }: ImportTarget): Promise<void> {
  await readIndexFile(file, (pools) => {
    for (const pool of pools)
      for (const { from, to, pools: own } of parts)
        if (from <= pool.blockNumber && pool.blockNumber <= to) own.push(pool);
  });
  for (const { from, to, pools } of parts) {
    const inFile = new Set(pools.map(poolText));
    const onChain = new Set((await readPoolsOf(rpc, events, { from, to })).map(poolText));
    const added = [...inFile].find((pool) => !onChain.has(pool));
    const omitted = [...onChain].find((pool) => !inFile.has(pool));
    const where = `in blocks ${from} to ${to}`;
    if (omitted !== undefined) throw new IndexFileError(file, `${where} it lacks a pool: ${omitted}`);
    if (added !== undefined) throw new IndexFileError(file, `${where} it has a pool that the node lacks: ${added}`);
  }
}

/** Picks the ranges to compare: around pools by reservoir sampling, and at blocks. */
function createPicker(random: (below: number) => number) {
  const blocks: number[] = [];
  let seen = 0;
  return {
    add(pools: readonly IndexedCreation[]) {
      for (const { blockNumber } of pools) {
        seen += 1;
        const at = blocks.length < samples / 2 ? blocks.length : random(seen);
        if (at < samples / 2) blocks[at] = blockNumber;
      }
    },
    ranges({ ranges }: IndexHeader): Sample[] {
      const total = ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);
      const anywhere = Array.from({ length: samples - blocks.length }, () => blockAt(ranges, random(total)));
      return [...blocks, ...anywhere].map((block) => {
        const [first, last] = ranges.find(([from, to]) => from <= block && block <= to) ?? [block, block];
        const from = Math.max(first, block - random(sampleSize));
        return { from, to: Math.min(last, from + sampleSize - 1), pools: [] };
      });
    },
  };
}

/** The block at a position among the blocks of all ranges. */
function blockAt(ranges: IndexHeader['ranges'], position: number): number {
  let left = position;
  for (const [from, to] of ranges) {
    if (left <= to - from) return from + left;
    left -= to - from + 1;
  }
  throw new RangeError(`The ranges have no block at position ${position}.`);
}
