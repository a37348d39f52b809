import pg from 'pg';
import { openBook } from '../../server/storage/index.ts';

/** A payment in the ledger. */
export interface Row {
  key: string;
  state: string;
  trialGroup: string | null;
  reason: string | null;
  /** Journaled transaction hashes; empty for a settlement that a remote facilitator sends. */
  transactions: string[];
}

/** Reads every payment of the ledger with its journaled transactions. */
export async function readLedger(url: string): Promise<Map<string, Row>> {
  const { book, close } = await openBook({ url });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const journal = await client.query<{ payment_key: string; hash: string }>(
    'SELECT payment_key, hash FROM settlement_transactions',
  );
  await client.end();
  const rows = new Map<string, Row>();
  for await (const { key, state, trialGroup, reason } of book.entries())
    rows.set(key, { key, state, trialGroup, reason, transactions: [] });
  for (const { payment_key, hash } of journal.rows) rows.get(payment_key)?.transactions.push(hash);
  await close();
  return rows;
}
