import type { Hex } from 'viem';
import type { Database } from '../database/database.ts';
import { type Creator, type LowerAddress, toLowerAddress } from '../ports.ts';

/** Creator of each token. Stored permanently; later results do not replace it. */
export function createCreators(database: Database, chain: string) {
  return {
    async load(token: LowerAddress): Promise<Creator | undefined> {
      const row = await database.read
        .selectFrom('creators')
        .select(['address', 'source'])
        .where('chain', '=', chain)
        .where('token', '=', token)
        .executeTakeFirst();
      return row && { address: toLowerAddress(row.address as Hex), source: row.source };
    },
    async save(token: LowerAddress, { address, source }: Creator): Promise<void> {
      await database.write((sql) =>
        sql
          .insertInto('creators')
          .values({ chain, token, address, source })
          .onConflict((conflict) => conflict.columns(['chain', 'token']).doNothing())
          .execute(),
      );
    },
  };
}
