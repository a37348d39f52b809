import Libsql from 'libsql';
import pg from 'pg';
import { type DatabaseLocation, openBook } from '../../server/storage/index.ts';

/** A payment in the ledger. */
export interface Row {
  key: string;
  state: string;
  trialGroup: string | null;
  reason: string | null;
  /** Journaled transaction hashes; empty for a settlement that a remote facilitator sends. */
  transactions: string[];
}

interface JournalRow {
  payment_key: string;
  hash: string;
}

const journalQuery = 'SELECT payment_key, hash FROM settlement_transactions';

async function readJournal(location: DatabaseLocation): Promise<JournalRow[]> {
  if ('file' in location) {
    const connection = new Libsql(location.file, { timeout: 2_000 });
    try {
      return connection.prepare(journalQuery).all() as JournalRow[];
    } finally {
      connection.close();
    }
  }
  const client = new pg.Client({ connectionString: location.url });
  await client.connect();
  const { rows } = await client.query<JournalRow>(journalQuery);
  await client.end();
  return rows;
}

/** Reads every payment of the ledger with its journaled transactions. */
export async function readLedger(location: DatabaseLocation): Promise<Map<string, Row>> {
  const { book, close } = await openBook(location);
  const journal = await readJournal(location);
  const rows = new Map<string, Row>();
  for await (const { key, state, trialGroup, reason } of book.entries())
    rows.set(key, { key, state, trialGroup, reason, transactions: [] });
  for (const { payment_key, hash } of journal) rows.get(payment_key)?.transactions.push(hash);
  await close();
  return rows;
}
