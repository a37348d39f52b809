import type { Address } from 'viem';
import type { Database } from '../database/database.ts';
import type { Creator } from '../ports.ts';

/** Creator of each token. Stored permanently; the first result stays. */
export function createCreators(database: Database, chain: string) {
  return {
    async load(token: Address): Promise<Creator | undefined> {
      const row = await database.read
        .selectFrom('creators')
        .select(['address', 'source'])
        .where('chain', '=', chain)
        .where('token', '=', token.toLowerCase())
        .executeTakeFirst();
      return row && { address: row.address as Address, source: row.source };
    },
    async save(token: Address, { address, source }: Creator): Promise<void> {
      await database.write((sql) =>
        sql
          .insertInto('creators')
          .values({ chain, token: token.toLowerCase(), address, source })
          .onConflict((conflict) => conflict.columns(['chain', 'token']).doNothing())
          .execute(),
      );
    },
  };
}
