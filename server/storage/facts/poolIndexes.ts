import type { Hex } from 'viem';
import type { Database, Sql } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import type { LowerAddress, PoolCreation } from '../ports.ts';

/** A scanned block and its hash. If the chain's hash differs, a reorganisation has replaced the block. */
export interface PoolCheckpoint {
  block: number;
  hash: Hex;
}

/** Pools from the logs of a chain's factories. `scope` identifies the set of factories. */
export interface PoolIndexStore {
  /** Newest first; empty if the scope was never scanned. */
  loadCheckpoints(scope: string): Promise<PoolCheckpoint[]>;
  /** The newest `most` and the oldest `most` pools of a token in the scope, oldest first. */
  loadPools(scope: string, token: LowerAddress, most: number): Promise<PoolCreation[]>;
  /**
   * Saves the pools found up to a block together with that block.
   * @param from the newest checkpoint that this continues; undefined: none
   * @returns false if another replica has advanced the stored index since; nothing was saved
   */
  save(
    scope: string,
    from: PoolCheckpoint | undefined,
    to: PoolCheckpoint,
    pools: readonly PoolCreation[],
  ): Promise<boolean>;
  /** Deletes pools and checkpoints after a block; undefined: all of the scope. */
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
    save: (scope, from, to, pools) =>
      inTurn(scope, async (sql) => {
        if (!(await isAt(sql, key(scope), from))) return false;
        for (let begin = 0; begin < pools.length; begin += chunkSize) {
          const rows = pools.slice(begin, begin + chunkSize).map((pool) => ({ ...key(scope), ...toRow(pool) }));
          await sql
            .insertInto('pool_creations')
            .values(rows)
            .onConflict((conflict) => conflict.columns(['chain', 'scope', 'factory', 'id']).doNothing())
            .execute();
        }
        const { numInsertedOrUpdatedRows } = await sql
          .insertInto('pool_checkpoints')
          .values({ ...key(scope), ...to })
          .onConflict((conflict) => conflict.columns(['chain', 'scope', 'block']).doNothing())
          .executeTakeFirstOrThrow();
        if (numInsertedOrUpdatedRows !== 1n) return false;
        await forgetOldest(sql, key(scope));
        return true;
      }),
    rollBack: (scope, to) =>
      inTurn(scope, async (sql) => {
        for (const [table, column] of [
          ['pool_creations', 'block_number'],
          ['pool_checkpoints', 'block'],
        ] as const) {
          await sql
            .deleteFrom(table)
            .where((is) => is.and(key(scope)))
            .where(column as 'block', '>', to ?? -1)
            .execute();
        }
      }),
  };
}

const inOrder = (rows: Tables['pool_creations'][]) => rows.sort((a, b) => a.block_number - b.block_number);

type Key = { chain: string; scope: string };

async function isAt(sql: Sql, key: Key, from: PoolCheckpoint | undefined): Promise<boolean> {
  const row = await sql
    .selectFrom('pool_checkpoints')
    .select(['block', 'hash'])
    .where((is) => is.and(key))
    .orderBy('block', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.block === from?.block && row?.hash === from?.hash;
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
