import type { Database, Sql } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import type { IndexedCreation, LowerAddress, WeightedCreation } from '../ports.ts';
import { addRange, type BlockRange, cutRanges } from './blockRanges.ts';
import { createPoolIndexReader, keyOf, type PoolIndexReader } from './poolIndexReader.ts';
import {
  deletePools,
  insertCheckpoint,
  insertPools,
  isNewest,
  type Key,
  type PoolCheckpoint,
  readRanges,
  replaceRanges,
  type StoredPool,
  toCreation,
} from './poolRows.ts';

/** Pools from the logs of a chain's factories. `scope` identifies the set of factories. */
export interface PoolIndexStore extends PoolIndexReader {
  /** The newest `most` and the oldest `most` pools of a token in the scope, oldest first. */
  loadPools(scope: string, token: LowerAddress, most: number): Promise<StoredPool[]>;
  /** The newest `most` and the oldest `most` weighted pools of some factories, oldest first. */
  loadWeighted(
    scope: string,
    factories: readonly LowerAddress[],
    most: number,
  ): Promise<StoredPool<WeightedCreation>[]>;
  /**
   * Saves a range of blocks that was read, with its pools.
   * @param at the newest checkpoint when the range was read; undefined: there was none
   * @param read `hash` is that of its last block, which becomes a checkpoint; undefined: it becomes none
   * @returns false if `at` is no longer the newest, or another replica saved the range's last block; nothing was saved
   */
  save(
    scope: string,
    at: PoolCheckpoint | undefined,
    read: BlockRange & { hash: PoolCheckpoint['hash'] | undefined },
    pools: readonly IndexedCreation[],
  ): Promise<boolean>;
  /** Adds pools of another deployment. Pools that are stored already stay as they are. */
  importPools(scope: string, pools: readonly IndexedCreation[]): Promise<void>;
  /** Stores that a node confirmed these imported pools. */
  confirmPools(scope: string, pools: readonly IndexedCreation[]): Promise<void>;
  /** Adds ranges whose pools were imported. @param anchor the last block of the newest range */
  importRanges(scope: string, ranges: readonly BlockRange[], anchor: PoolCheckpoint): Promise<void>;
  /** Deletes pools, ranges and checkpoints after a block; undefined: all of the scope. */
  rollBack(scope: string, to: number | undefined): Promise<void>;
  /** The other scopes of the chain: those of other releases. */
  loadOtherScopes(scope: string): Promise<OtherScope[]>;
  /**
   * Deletes at most `most` pools of another scope, unless a process wrote to it since it was loaded. Its ranges and
   * checkpoints go with the first of them: a process that still uses it must not count blocks as read whose pools are missing.
   * @returns false if nothing was deleted
   */
  deleteOtherScope(other: OtherScope, most: number): Promise<boolean>;
}

/** A scope of another release. A process that uses it changes `written` with each range that it reads. */
interface OtherScope {
  scope: string;
  written: string;
}

export function createPoolIndexStore(database: Database, chain: string): PoolIndexStore {
  const key = (scope: string) => keyOf(database, chain, scope);
  // Lock out other replicas between the check and the update.
  const inTurn = <T>(scope: string, work: (sql: Sql) => Promise<T>): Promise<T> =>
    database.inTurn(`pools of ${chain} ${scope}`, () => database.write(work));

  return {
    ...createPoolIndexReader(database, chain),
    loadPools: (scope, token, most) => readEnds(database.read, key(scope), token, most),
    async loadWeighted(scope, factories, most) {
      if (factories.length === 0) return [];
      const rows = await database.read
        .selectFrom('pool_creations')
        .selectAll()
        .where((is) => is.and(key(scope)))
        .where('factory', 'in', [...factories])
        .where('event', '=', 'weighted')
        .orderBy('block_number')
        .execute();
      const ends = rows.length > 2 * most ? [...rows.slice(0, most), ...rows.slice(-most)] : rows;
      return ends.map(toCreation) as StoredPool<WeightedCreation>[];
    },
    save: (scope, at, { from, to, hash }, pools) =>
      inTurn(scope, async (sql) => {
        const ranges = await readRanges(sql, key(scope));
        if (!(await isNewest(sql, key(scope), at))) return false;
        if (ranges.some((range) => range.from <= to && range.to >= to)) return false;
        await insertPools(sql, key(scope), pools, 0);
        await replaceRanges(sql, key(scope), addRange(ranges, { from, to }));
        if (hash === undefined) return true;
        await insertCheckpoint(sql, key(scope), { block: to, hash });
        return true;
      }),
    importPools: (scope, pools) => inTurn(scope, (sql) => insertPools(sql, key(scope), pools, 1)),
    confirmPools: (scope, pools) =>
      inTurn(scope, async (sql) => {
        for (const { factory, id } of pools) await markRead(sql, { ...key(scope), factory, id });
      }),
    importRanges: (scope, added, anchor) =>
      inTurn(scope, async (sql) => {
        const ranges = added.reduce(addRange, await readRanges(sql, key(scope)));
        await replaceRanges(sql, key(scope), ranges);
        await insertCheckpoint(sql, key(scope), anchor);
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
    async loadOtherScopes(scope) {
      const names = (await findScopes(database.read, chain)).filter((name) => name !== key(scope).scope);
      const read = (name: string) => readWritten(database.read, { chain, scope: name });
      return Promise.all(names.map(async (name) => ({ scope: name, written: await read(name) })));
    },
    deleteOtherScope: ({ scope, written }, most) =>
      inTurn(scope, async (sql) => {
        const current = await readWritten(sql, { chain, scope });
        if (current !== written && current !== nothingRead) return false;
        for (const table of ['pool_ranges', 'pool_checkpoints'] as const)
          await sql
            .deleteFrom(table)
            .where((is) => is.and({ chain, scope }))
            .execute();
        return deletePools(sql, { chain, scope }, most);
      }),
  };
}

/** An imported pool counts as read from the chain. */
async function markRead(sql: Sql, pool: { chain: string; scope: string; factory: string; id: string }): Promise<void> {
  await sql
    .updateTable('pool_creations')
    .set({ imported: 0 })
    .where((is) => is.and(pool))
    .execute();
}

/** `written` of a scope without ranges. */
const nothingRead = '';

async function readWritten(sql: Sql, key: Key): Promise<string> {
  const ranges = await readRanges(sql, key);
  return ranges.map(({ from, to }) => `${from}-${to}`).join();
}

/** The scopes of a chain. Each is found by its own look-up in an index: a query for all would read every row. */
async function findScopes(read: Sql, chain: string): Promise<string[]> {
  const found = new Set<string>();
  for (const table of ['pool_creations', 'pool_ranges', 'pool_checkpoints'] as const)
    for (let scope: string | undefined = ''; scope !== undefined; ) {
      const row: { scope: string } | undefined = await read
        .selectFrom(table)
        .select('scope')
        .where('chain', '=', chain)
        .where('scope', '>', scope)
        .orderBy('scope')
        .limit(1)
        .executeTakeFirst();
      scope = row?.scope;
      if (scope !== undefined) found.add(scope);
    }
  return [...found];
}

/** @see PoolIndexStore.loadPools */
async function readEnds(
  read: Sql,
  key: ReturnType<typeof keyOf>,
  token: LowerAddress,
  most: number,
): Promise<StoredPool[]> {
  const of = (side: 'currency0' | 'currency1', direction: 'asc' | 'desc') =>
    read
      .selectFrom('pool_creations')
      .selectAll()
      .where((is) => is.and(key))
      .where(side, '=', token)
      .where('event', '<>', 'weighted')
      .orderBy('block_number', direction)
      .limit(most)
      .execute();
  const [oldest, newest] = await Promise.all([
    Promise.all([of('currency0', 'asc'), of('currency1', 'asc')]),
    Promise.all([of('currency0', 'desc'), of('currency1', 'desc')]),
  ]);
  const ends = [...inOrder(oldest.flat()).slice(0, most), ...inOrder(newest.flat()).slice(-most)];
  return [...new Map(ends.map((row) => [`${row.factory} ${row.id}`, row])).values()].map(toCreation) as StoredPool[];
}

const inOrder = (rows: Tables['pool_creations'][]) => rows.sort((a, b) => a.block_number - b.block_number);
