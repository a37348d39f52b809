import { type ExpressionBuilder, sql as raw } from 'kysely';
import { type JournaledTransaction, LedgerOrderError, type PaymentLedger, transitions } from '../../payments/index.ts';
import type { Database, Sql } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import type { LedgerContext } from './ledgerContext.ts';
import { bytes, journal, toTransaction } from './records.ts';

/** Milliseconds by which one node may lag behind another, with a margin. */
const lagMs = 60_000;

/**
 * Records a transaction for its payments.
 * @throws {LedgerOrderError} a payment cannot become `sent`, or has another owner
 */
async function record(
  { database: { rows, clock }, replica, now }: LedgerContext,
  sql: Sql,
  keys: readonly string[],
  transaction: JournaledTransaction,
): Promise<void> {
  const given = raw<string>`(SELECT value ->> 'key' FROM ${rows(keys.map((key) => ({ key })))} AS each)`;
  const updated = await sql
    .updateTable('payments')
    .set({ state: 'sent', look_at: null, updated_at: now() })
    .where('payment_key', 'in', given)
    .where('state', 'in', transitions.journal.from)
    .where('holder', '=', replica)
    .executeTakeFirstOrThrow();
  if (updated.numUpdatedRows !== BigInt(keys.length)) {
    throw new LedgerOrderError(`A payment of ${keys.join(', ')} cannot become sent from its current state.`);
  }
  const { hash, raw: bytes, nonce, account = null, fromBlock } = transaction;
  const isGroup = keys.length > 1;
  if (isGroup) {
    await sql
      .insertInto('group_transactions')
      .values({ hash, raw: bytes })
      .onConflict((conflict) => conflict.column('hash').doNothing())
      .execute();
  }
  const position = (is: ExpressionBuilder<Tables, 'payments'>) =>
    is
      .selectFrom('settlement_transactions')
      .select((count) => count.fn.countAll<number>().as('count'))
      .whereRef('settlement_transactions.payment_key', '=', 'payments.payment_key');
  await sql
    .insertInto('settlement_transactions')
    .columns(['payment_key', 'position', 'hash', 'raw', 'account', 'account_nonce', 'from_block', 'created_at'])
    .expression((is) =>
      is
        .selectFrom('payments')
        .select((of) => [
          'payments.payment_key',
          position(of).as('position'),
          raw<string>`CAST(${hash} AS TEXT)`.as('hash'),
          raw<string>`CAST(${isGroup ? '' : bytes} AS TEXT)`.as('raw'),
          raw<string | null>`CAST(${account} AS TEXT)`.as('account'),
          raw<number>`CAST(${nonce} AS BIGINT)`.as('account_nonce'),
          raw<string>`CAST(${String(fromBlock)} AS TEXT)`.as('from_block'),
          raw<number>`${clock}`.as('created_at'),
        ])
        .where('payments.payment_key', 'in', given),
    )
    .execute();
}

/** The lowest nonce from the account's transaction count that no journaled transaction uses. */
async function findNonce(
  { clock }: Pick<Database, 'clock'>,
  sql: Sql,
  { name, from }: { name: string; from: number },
): Promise<number> {
  const rows = await sql
    .selectFrom('settlement_transactions as sent')
    .innerJoin('payments', 'payments.payment_key', 'sent.payment_key')
    .select('account_nonce')
    .distinct()
    .where('account', '=', name)
    .where('account_nonce', '>=', from)
    // The nonce of an open transaction stays reserved, because the transaction is broadcast until it is included. That of
    // a finished one stays reserved only while nodes may lag: if it was never included, its nonce would remain a gap.
    .where((is) => is.or([is('state', '=', 'sent'), is('sent.created_at', '>', raw<number>`${clock} - ${lagMs}`)]))
    .execute();
  const taken = new Set(rows.map(({ account_nonce }) => Number(account_nonce)));
  let nonce = from;
  while (taken.has(nonce)) nonce += 1;
  return nonce;
}

/** Journals transactions, and assigns their nonces. */
export function createJournal(
  context: LedgerContext,
): Pick<PaymentLedger, 'journal' | 'journalAll' | 'journalNext' | 'loadOpenTransactions'> {
  const { read, write, lock } = context.database;
  return {
    async loadOpenTransactions(account, { from, below }) {
      const records = await read
        .selectFrom('settlement_transactions as sent')
        .innerJoin('payments', 'payments.payment_key', 'sent.payment_key')
        .leftJoin('group_transactions as together', 'together.hash', 'sent.hash')
        .select([...journal, 'sent.hash', bytes])
        .where('account', '=', account)
        .where('account_nonce', '>=', from)
        .where('account_nonce', '<', below)
        .where('state', '=', 'sent')
        .orderBy('account_nonce')
        .orderBy('sent.created_at')
        .execute();
      const newest = new Map(records.map((record) => [record.account_nonce, toTransaction(record)]));
      return [...newest.values()];
    },
    journal: (key, transaction) => write((sql) => record(context, sql, [key], transaction)),
    journalAll: (keys, transaction) => write((sql) => record(context, sql, keys, transaction)),
    journalNext: (keys, account, sign) =>
      write(async (sql) => {
        await lock(sql, `nonces of ${account.name}`);
        const transaction = sign(await findNonce(context.database, sql, account));
        await record(context, sql, keys, transaction);
        return transaction;
      }),
  };
}
