import type { Address, Hex } from 'viem';
import type { FirstTransfer } from '../../engine/index.ts';
import type { SqliteDatabase } from './openDatabase.ts';

export const firstTransfersTable = `CREATE TABLE first_transfers (
  chain TEXT NOT NULL,
  token TEXT NOT NULL,
  block_number BIGINT NOT NULL,
  block_timestamp BIGINT NOT NULL,
  sender TEXT,
  transaction_hash TEXT,
  source TEXT NOT NULL,
  PRIMARY KEY (chain, token)
)`;

interface Row {
  block_number: number;
  block_timestamp: number;
  sender: Address | null;
  transaction_hash: Hex | null;
  source: string;
}

/** When and by whom each token was first moved. Kept for ever; an earlier transfer, found later, takes the place. */
export function createFirstTransfers(database: SqliteDatabase, chain: string) {
  const select = database.prepare('SELECT * FROM first_transfers WHERE chain = ? AND token = ?');
  const insert = database.prepare(
    `INSERT INTO first_transfers (chain, token, block_number, block_timestamp, sender, transaction_hash, source)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (chain, token) DO UPDATE SET block_number = excluded.block_number, block_timestamp = excluded.block_timestamp,
       sender = excluded.sender, transaction_hash = excluded.transaction_hash, source = excluded.source
     WHERE excluded.block_number < first_transfers.block_number`,
  );
  return {
    load(token: Address): FirstTransfer | undefined {
      const row = select.get(chain, token.toLowerCase()) as Row | undefined;
      return (
        row && {
          blockNumber: BigInt(row.block_number),
          timestamp: row.block_timestamp,
          sender: row.sender,
          transactionHash: row.transaction_hash,
          source: row.source,
        }
      );
    },
    save(token: Address, { blockNumber, timestamp, sender, transactionHash, source }: FirstTransfer): void {
      insert.run(chain, token.toLowerCase(), Number(blockNumber), timestamp, sender, transactionHash, source);
    },
  };
}
