import type { Hex } from 'viem';
import type { Database, Sql } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import type { LowerAddress, PoolCreation } from '../ports.ts';
import { addRange, type BlockRange, cutRanges } from './blockRanges.ts';

/** A scanned block and its hash. If the chain's hash differs, a reorganisation has replaced the block. */
export interface PoolCheckpoint {
  block: number;
  hash: Hex;
}

/** Pools from the logs of a chain's factories. `scope` identifies the set of factories. */
export interface PoolIndexStore {
  /** The newest first; empty if the scope was never scanned. */
  loadCheckpoints(scope: string): Promise<PoolCheckpoint[]>;
  /** The blocks whose logs were read, in ascending order. */
  loadRanges(scope: string): Promise<BlockRange[]>;
  /** The newest `most` and the oldest `most` pools of a token in the scope, oldest first. */
  loadPools(scope: string, token: LowerAddress, most: number): Promise<PoolCreation[]>;
  /**
   * Saves a range of blocks that was read, with its pools.
   * @param at the newest checkpoint when the range was read; undefined: there was none
   * @param read `hash` is that of its last block, which becomes a checkpoint; undefined: it becomes none
   * @returns false if `at` is no longer the newest, or another replica saved the range's last block; nothing was saved
   */
  save(
    scope: string,
    at: PoolCheckpoint | undefined,
    read: BlockRange & { hash: Hex | undefined },
    pools: readonly PoolCreation[],
  ): Promise<boolean>;
  /** Deletes pools, ranges and checkpoints after a block; undefined: all of the scope. */
  rollBack(scope: string, to: number | undefined): Promise<void>;
}

/** Number of checkpoints kept: a reorganisation deeper than these rebuilds the index. */
const maxCheckpoints = 32;
/** Rows per INSERT: below the parameter limits of both databases. */
const chunkSize = 500;

export function createPoolIndexStore(database: Database, chain: string): PoolIndexStore {
  // Four bytes of the hash distinguish the few scopes of a chain: each row and three indexes contain them. PostgreSQL has
  // rows of earlier releases with the whole hash.
  const key = (scope: string) => ({ chain, scope: database.isShared ? scope : scope.slice(0, 10) });
  // Lock out other replicas between the check and the update.
  const inTurn = <T>(scope: string, work: (sql: Sql) => Promise<T>): Promise<T> =>
    database.inTurn(`pools of ${chain} ${scope}`, () => database.write(work));

  return {
    async loadCheckpoints(scope) {
      const rows = await database.read
        .selectFrom('pool_checkpoints')
        .select(['block', 'hash'])
        .where((is) => is.and(key(scope)))
        .orderBy('block', 'desc')
        .execute();
      return rows.map(({ block, hash }) => ({ block, hash: hash as Hex }));
    },
    loadRanges: (scope) => readRanges(database.read, key(scope)),
    async loadPools(scope, token, most) {
      const of = (side: 'currency0' | 'currency1', direction: 'asc' | 'desc') =>
        database.read
          .selectFrom('pool_creations')
          .selectAll()
          .where((is) => is.and(key(scope)))
          .where(side, '=', token)
          .orderBy('block_number', direction)
          .limit(most)
          .execute();
      const [oldest, newest] = await Promise.all([
        Promise.all([of('currency0', 'asc'), of('currency1', 'asc')]),
        Promise.all([of('currency0', 'desc'), of('currency1', 'desc')]),
      ]);
      const ends = [...inOrder(oldest.flat()).slice(0, most), ...inOrder(newest.flat()).slice(-most)];
      return [...new Map(ends.map((row) => [`${row.factory} ${row.id}`, row])).values()].map(toCreation);
    },
    save: (scope, at, { from, to, hash }, pools) =>
      inTurn(scope, async (sql) => {
        const ranges = await readRanges(sql, key(scope));
        if (!(await isNewest(sql, key(scope), at))) return false;
        if (ranges.some((range) => range.from <= to && range.to >= to)) return false;
        await insertPools(sql, key(scope), pools);
        await replaceRanges(sql, key(scope), addRange(ranges, { from, to }));
        if (hash === undefined) return true;
        await sql
          .insertInto('pool_checkpoints')
          .values({ ...key(scope), block: to, hash })
          .onConflict((conflict) => conflict.columns(['chain', 'scope', 'block']).doNothing())
          .execute();
        await forgetOldest(sql, key(scope));
        return true;
      }),
    rollBack: (scope, to) =>
      inTurn(scope, async (sql) => {
        const last = to ?? -1;
        for (const [table, column] of [
          ['pool_creations', 'block_number'],
          ['pool_checkpoints', 'block'],
        ] as const) {
          await sql
            .deleteFrom(table)
            .where((is) => is.and(key(scope)))
            .where(column as 'block', '>', last)
            .execute();
        }
        await replaceRanges(sql, key(scope), cutRanges(await readRanges(sql, key(scope)), last));
      }),
  };
}

const inOrder = (rows: Tables['pool_creations'][]) => rows.sort((a, b) => a.block_number - b.block_number);

type Key = { chain: string; scope: string };

/** Whether this is the newest checkpoint; without one, whether there is none. */
async function isNewest(sql: Sql, key: Key, at: PoolCheckpoint | undefined): Promise<boolean> {
  const row = await sql
    .selectFrom('pool_checkpoints')
    .select(['block', 'hash'])
    .where((is) => is.and(key))
    .orderBy('block', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.block === at?.block && row?.hash === at?.hash;
}

async function insertPools(sql: Sql, key: Key, pools: readonly PoolCreation[]): Promise<void> {
  for (let begin = 0; begin < pools.length; begin += chunkSize) {
    const rows = pools.slice(begin, begin + chunkSize).map((pool) => ({ ...key, ...toRow(pool) }));
    await sql
      .insertInto('pool_creations')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['chain', 'scope', 'factory', 'id']).doNothing())
      .execute();
  }
}

async function readRanges(sql: Sql, key: Key): Promise<BlockRange[]> {
  const rows = await sql
    .selectFrom('pool_ranges')
    .select(['from_block', 'to_block'])
    .where((is) => is.and(key))
    .orderBy('from_block')
    .execute();
  return rows.map(({ from_block: from, to_block: to }) => ({ from, to }));
}

/** There are few: the scan fills the newest gap first. */
async function replaceRanges(sql: Sql, key: Key, ranges: readonly BlockRange[]): Promise<void> {
  await sql
    .deleteFrom('pool_ranges')
    .where((is) => is.and(key))
    .execute();
  if (ranges.length === 0) return;
  const rows = ranges.map(({ from, to }) => ({ ...key, from_block: from, to_block: to }));
  await sql.insertInto('pool_ranges').values(rows).execute();
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

function toRow({ event, factory, id, currency0, currency1, fee, tickSpacing, hooks, blockNumber }: PoolCreation) {
  return { event, factory, id, currency0, currency1, fee, tick_spacing: tickSpacing, hooks, block_number: blockNumber };
}

function toCreation(row: Tables['pool_creations']): PoolCreation {
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
  return { event, factory, id, currency0, currency1, fee, tickSpacing, hooks, blockNumber };
}
