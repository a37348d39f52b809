import type { Hex } from 'viem';
import type { Database } from '../database/database.ts';
import { type FirstTransfer, type LowerAddress, toLowerAddress } from '../ports.ts';

/** First transfer of each token. Stored permanently; an earlier transfer found later replaces it. */
export function createFirstTransfers(database: Database, chain: string) {
  return {
    async load(token: LowerAddress): Promise<FirstTransfer | undefined> {
      const row = await database.read
        .selectFrom('first_transfers')
        .selectAll()
        .where('chain', '=', chain)
        .where('token', '=', token)
        .executeTakeFirst();
      return (
        row && {
          blockNumber: BigInt(row.block_number),
          timestamp: row.block_timestamp,
          sender: row.sender === null ? null : toLowerAddress(row.sender as Hex),
          transactionHash: row.transaction_hash as Hex | null,
          source: row.source,
        }
      );
    },
    async save(token: LowerAddress, first: FirstTransfer): Promise<void> {
      const fact = {
        block_number: Number(first.blockNumber),
        block_timestamp: first.timestamp,
        sender: first.sender,
        transaction_hash: first.transactionHash,
        source: first.source,
      };
      await database.write((sql) =>
        sql
          .insertInto('first_transfers')
          .values({ chain, token, ...fact })
          .onConflict((conflict) =>
            conflict
              .columns(['chain', 'token'])
              .doUpdateSet(fact)
              .where('first_transfers.block_number', '>', fact.block_number),
          )
          .execute(),
      );
    },
  };
}
