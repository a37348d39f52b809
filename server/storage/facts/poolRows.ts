import type { Hex } from 'viem';
import type { Sql } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import type { IndexedCreation, LowerAddress, PoolCreation } from '../ports.ts';
import type { BlockRange } from './blockRanges.ts';

/** A scanned block and its hash. If the chain's hash differs, a reorganisation has replaced the block. */
export interface PoolCheckpoint {
  block: number;
  hash: Hex;
}

/** A pool of the index. */
export type StoredPool<Creation extends IndexedCreation = PoolCreation> = Creation & {
  /** It comes from another deployment, and no node has confirmed it yet. */
  isImported?: true;
};

/** Number of checkpoints kept: a reorganisation deeper than these rebuilds the index. */
const maxCheckpoints = 32;
/** Rows per INSERT: below the parameter limits of both databases. */
const chunkSize = 500;

export type Key = { chain: string; scope: string };

/** Whether this is the newest checkpoint; without one, whether there is none. */
export async function isNewest(sql: Sql, key: Key, at: PoolCheckpoint | undefined): Promise<boolean> {
  const row = await sql
    .selectFrom('pool_checkpoints')
    .select(['block', 'hash'])
    .where((is) => is.and(key))
    .orderBy('block', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.block === at?.block && row?.hash === at?.hash;
}

/** @param imported 0: a log of a node, which replaces what was imported */
export async function insertPools(
  sql: Sql,
  key: Key,
  pools: readonly IndexedCreation[],
  imported: 0 | 1,
): Promise<void> {
  for (let begin = 0; begin < pools.length; begin += chunkSize) {
    const rows = pools.slice(begin, begin + chunkSize).map((pool) => ({ ...key, ...toRow(pool), imported }));
    await sql
      .insertInto('pool_creations')
      .values(rows)
      .onConflict((conflict) => {
        const known = conflict.columns(['chain', 'scope', 'factory', 'id']);
        if (imported === 1) return known.doNothing();
        return known.doUpdateSet(({ ref }) => ({
          event: ref('excluded.event'),
          currency0: ref('excluded.currency0'),
          currency1: ref('excluded.currency1'),
          fee: ref('excluded.fee'),
          tick_spacing: ref('excluded.tick_spacing'),
          hooks: ref('excluded.hooks'),
          block_number: ref('excluded.block_number'),
          imported: ref('excluded.imported'),
        }));
      })
      .execute();
  }
}

/** Deletes at most `most` pools of a scope. Returns whether it deleted any. */
export async function deletePools(sql: Sql, key: Key, most: number): Promise<boolean> {
  const first = sql
    .selectFrom('pool_creations')
    .select(['factory', 'id'])
    .where((is) => is.and(key))
    .limit(most);
  const { numDeletedRows } = await sql
    .deleteFrom('pool_creations')
    .where((is) => is.and(key))
    .where(({ eb, refTuple }) => eb(refTuple('factory', 'id'), 'in', first.$asTuple('factory', 'id')))
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export async function readRanges(sql: Sql, key: Key): Promise<BlockRange[]> {
  const rows = await sql
    .selectFrom('pool_ranges')
    .select(['from_block', 'to_block'])
    .where((is) => is.and(key))
    .orderBy('from_block')
    .execute();
  return rows.map(({ from_block: from, to_block: to }) => ({ from, to }));
}

/** There are few: the scan fills the newest gap first. */
export async function replaceRanges(sql: Sql, key: Key, ranges: readonly BlockRange[]): Promise<void> {
  await sql
    .deleteFrom('pool_ranges')
    .where((is) => is.and(key))
    .execute();
  if (ranges.length === 0) return;
  const rows = ranges.map(({ from, to }) => ({ ...key, from_block: from, to_block: to }));
  await sql.insertInto('pool_ranges').values(rows).execute();
}

/** Keeps the newest checkpoints. */
export async function insertCheckpoint(sql: Sql, key: Key, checkpoint: PoolCheckpoint): Promise<void> {
  await sql
    .insertInto('pool_checkpoints')
    .values({ ...key, ...checkpoint })
    .onConflict((conflict) => conflict.columns(['chain', 'scope', 'block']).doNothing())
    .execute();
  await forgetOldest(sql, key);
}

async function forgetOldest(sql: Sql, key: Key): Promise<void> {
  const oldest = await sql
    .selectFrom('pool_checkpoints')
    .select('block')
    .where((is) => is.and(key))
    .orderBy('block', 'desc')
    .offset(maxCheckpoints)
    .limit(1)
    .executeTakeFirst();
  if (!oldest) return;
  await sql
    .deleteFrom('pool_checkpoints')
    .where((is) => is.and(key))
    .where('block', '<=', oldest.block)
    .execute();
}

function toRow({ event, factory, id, currency0, currency1, fee, tickSpacing, hooks, blockNumber }: IndexedCreation) {
  return { event, factory, id, currency0, currency1, fee, tick_spacing: tickSpacing, hooks, block_number: blockNumber };
}

export function toCreation(row: Tables['pool_creations']): StoredPool<IndexedCreation> {
  const { event, fee, tick_spacing: tickSpacing, block_number: blockNumber } = row;
  const [factory, id, currency0, currency1, hooks] = [
    row.factory,
    row.id,
    row.currency0,
    row.currency1,
    row.hooks,
  ] as LowerAddress[];
  if (!factory || !id || !currency0 || !currency1 || !hooks)
    throw new TypeError('A row of pool_creations has an empty address.');
  const creation = { event, factory, id, currency0, currency1, fee, tickSpacing, hooks, blockNumber };
  return row.imported === 1 ? { ...creation, isImported: true } : creation;
}
