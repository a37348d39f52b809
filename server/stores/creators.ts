import type { Address } from 'viem';
import type { Creator } from '../../engine/index.ts';
import type { SqliteDatabase } from './openDatabase.ts';

export const creatorsTable = `CREATE TABLE creators (
  chain TEXT NOT NULL,
  token TEXT NOT NULL,
  address TEXT NOT NULL,
  source TEXT NOT NULL,
  PRIMARY KEY (chain, token)
)`;

/** Who created each token. Kept for ever; the first answer stays. */
export function createCreators(database: SqliteDatabase, chain: string) {
  const select = database.prepare('SELECT address, source FROM creators WHERE chain = ? AND token = ?');
  const insert = database.prepare(
    'INSERT INTO creators (chain, token, address, source) VALUES (?, ?, ?, ?) ON CONFLICT (chain, token) DO NOTHING',
  );
  return {
    load(token: Address): Creator | undefined {
      const row = select.get(chain, token.toLowerCase()) as { address: Address; source: string } | undefined;
      return row && { address: row.address, source: row.source };
    },
    save(token: Address, { address, source }: Creator): void {
      insert.run(chain, token.toLowerCase(), address, source);
    },
  };
}
