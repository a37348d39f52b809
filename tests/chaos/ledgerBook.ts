import pg from 'pg';
import { openBook } from '../../server/storage/index.ts';

/** A payment as the ledger holds it. */
export interface Row {
  key: string;
  state: string;
  trialGroup: string | null;
  reason: string | null;
  /** Hashes that were journaled for it; empty ones stand for a facilitator elsewhere that was about to be asked. */
  transactions: string[];
}

/** Every payment that the ledger holds, with the transactions that it has journaled. */
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
