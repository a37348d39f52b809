import type { Database } from '../database/database.ts';
import type { IndexedCreation } from '../ports.ts';
import type { BlockRange } from './blockRanges.ts';
import { type Key, type PoolCheckpoint, readRanges, toCreation } from './poolRows.ts';

/** Reads an index, also beside the running service. */
export interface PoolIndexReader {
  /** The newest first; empty if the scope was never scanned. */
  loadCheckpoints(scope: string): Promise<PoolCheckpoint[]>;
  /** The blocks whose logs were read, in ascending order. */
  loadRanges(scope: string): Promise<BlockRange[]>;
  /** The first `most` pools after another one, in the order of factory and id. */
  loadPage(
    scope: string,
    after: Pick<IndexedCreation, 'factory' | 'id'> | undefined,
    most: number,
  ): Promise<IndexedCreation[]>;
}

/**
 * The rows of one scope. Four bytes of the hash distinguish the few scopes of a chain: each row and three indexes contain
 * them. PostgreSQL has rows of earlier releases with the whole hash.
 */
export const keyOf = ({ isShared }: Pick<Database, 'isShared'>, chain: string, scope: string): Key => ({
  chain,
  scope: isShared ? scope : scope.slice(0, 10),
});

export function createPoolIndexReader(database: Pick<Database, 'read' | 'isShared'>, chain: string): PoolIndexReader {
  const key = (scope: string) => keyOf(database, chain, scope);
  return {
    async loadCheckpoints(scope) {
      const rows = await database.read
        .selectFrom('pool_checkpoints')
        .select(['block', 'hash'])
        .where((is) => is.and(key(scope)))
        .orderBy('block', 'desc')
        .execute();
      return rows.map(({ block, hash }) => ({ block, hash: hash as PoolCheckpoint['hash'] }));
    },
    loadRanges: (scope) => readRanges(database.read, key(scope)),
    async loadPage(scope, after, most) {
      const rows = await database.read
        .selectFrom('pool_creations')
        .selectAll()
        .where((is) => is.and(key(scope)))
        .$if(after !== undefined, (query) =>
          query.where(({ eb, refTuple, tuple }) =>
            eb(refTuple('factory', 'id'), '>', tuple(after?.factory ?? '', after?.id ?? '')),
          ),
        )
        .orderBy('factory')
        .orderBy('id')
        .limit(most)
        .execute();
      return rows.map(toCreation);
    },
  };
}
