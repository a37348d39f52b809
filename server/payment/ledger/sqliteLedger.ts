import { randomUUID } from 'node:crypto';
import type { Clock } from '../cashierConfig.ts';
import type { StoredAnswer } from '../cashierTypes.ts';
import type { JournaledTransaction, PaymentFacts, PaymentLedger, PaymentRow, PaymentState } from './ledgerTypes.ts';
import { openSqlite } from './openSqlite.ts';

/** A holder that has not been heard of for this long counts as dead. Longer than any settlement that a client waits for. */
const leaseMs = 120_000;

/** A row was asked to move to the left, or does not exist: our own mistake, never a client's. */
export class LedgerOrderError extends Error {
  override readonly name = 'LedgerOrderError';
}

interface PaymentRecord {
  payment_key: string;
  fingerprint: string;
  network: string;
  payer: string;
  paid: string;
  route: string;
  canonical_input: string;
  payload: string;
  state: PaymentState;
  payment_response: string | null;
  trial_group: string | null;
}

/**
 * The ledger of one process, in an SQLite file.
 *
 * @param file path, or `:memory:`
 * @throws {LedgerInUseError} another process holds the file.
 */
export function createSqliteLedger(file: string, now: Clock): PaymentLedger {
  const { database, close } = openSqlite(file);
  const holder = randomUUID();

  const selectPayment = database.prepare('SELECT * FROM payments WHERE payment_key = ?');
  const selectTransactions = database.prepare(
    'SELECT hash, raw, account_nonce, from_block FROM settlement_transactions WHERE payment_key = ? ORDER BY position',
  );
  const selectAnswer = database.prepare('SELECT status, content_type, body FROM answers WHERE payment_key = ?');
  const insertPayment = database.prepare(
    `INSERT INTO payments (payment_key, fingerprint, network, payer, paid, route, canonical_input, payload,
       state, holder, lease_until, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'claimed', ?, ?, ?, ?) ON CONFLICT (payment_key) DO NOTHING`,
  );
  const takeClaim = database.prepare(
    `UPDATE payments SET holder = ?, lease_until = ?, updated_at = ?
     WHERE payment_key = ? AND fingerprint = ? AND state <> 'answered' AND (holder IS NULL OR lease_until < ?)`,
  );
  const insertTransaction = database.prepare(
    `INSERT INTO settlement_transactions (payment_key, position, hash, raw, account_nonce, from_block, created_at)
     SELECT ?, count(*), ?, ?, ?, ?, ? FROM settlement_transactions WHERE payment_key = ?`,
  );
  const markSent = database.prepare(
    `UPDATE payments SET state = 'sent', updated_at = ? WHERE payment_key = ? AND state IN ('claimed', 'sent', 'refused')`,
  );
  const markSettled = database.prepare(
    `UPDATE payments SET state = 'settled', payment_response = ?, updated_at = ?
     WHERE payment_key = ? AND state IN ('claimed', 'sent', 'refused')`,
  );
  const markRefused = database.prepare(
    `UPDATE payments SET state = 'refused', reason = ?, holder = NULL, updated_at = ?
     WHERE payment_key = ? AND state IN ('sent', 'refused')`,
  );
  const forgetClaimed = database.prepare(`DELETE FROM payments WHERE payment_key = ? AND state = 'claimed'`);
  const insertAnswer = database.prepare(
    `INSERT INTO answers (payment_key, status, content_type, body, created_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (payment_key) DO NOTHING`,
  );
  const markAnswered = database.prepare(
    `UPDATE payments SET state = 'answered', holder = NULL, updated_at = ? WHERE payment_key = ? AND state IN ('settled', 'answered')`,
  );
  const markFailed = database.prepare(
    `UPDATE payments SET failures = failures + 1, reason = ?, holder = NULL, updated_at = ? WHERE payment_key = ? AND state = 'settled'`,
  );
  const selectTrial = database.prepare('SELECT payment_key FROM trials WHERE trial_group = ? AND wallet = ?');
  const insertTrial = database.prepare(
    `INSERT INTO trials (trial_group, wallet, payment_key, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (trial_group, wallet) DO NOTHING`,
  );
  const markTrial = database.prepare(
    `UPDATE payments SET state = 'settled', trial_group = ?, payment_response = ?, updated_at = ?
     WHERE payment_key = ? AND state = 'claimed'`,
  );
  const forgetTrialPayment = database.prepare(
    `DELETE FROM payments WHERE payment_key = ? AND state = 'settled' AND trial_group IS NOT NULL`,
  );
  const forgetTrial = database.prepare('DELETE FROM trials WHERE payment_key = ?');
  const selectUnansweredTrials = database.prepare(
    `SELECT payment_key FROM payments WHERE state = 'settled' AND trial_group IS NOT NULL`,
  );
  const dropHolder = database.prepare('UPDATE payments SET holder = NULL, updated_at = ? WHERE payment_key = ?');
  const takeOver = database.prepare(
    'UPDATE payments SET holder = ?, lease_until = ?, updated_at = ? WHERE payment_key = ?',
  );
  const dropForeignHolders = database.prepare('UPDATE payments SET holder = NULL WHERE holder <> ?');
  const selectUnfinished = database.prepare(
    `SELECT * FROM payments WHERE state IN ('claimed', 'sent') AND holder IS NULL ORDER BY created_at`,
  );

  /** All or nothing; libsql calls are synchronous, so nothing of ours comes in between. */
  function atomically<T>(work: () => T): T {
    database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      database.exec('ROLLBACK');
      throw error;
    }
  }

  function assertMoved(result: { changes: number }, key: string, to: string): void {
    if (result.changes !== 1) throw new LedgerOrderError(`Payment ${key} cannot become ${to} from where it is.`);
  }

  function loadAnswer(key: string): StoredAnswer | undefined {
    const record = selectAnswer.get(key) as { status: number; content_type: string; body: string } | undefined;
    return record && { status: record.status, contentType: record.content_type, body: record.body };
  }

  function loadTransactions(key: string): JournaledTransaction[] {
    const records = selectTransactions.all(key) as {
      hash: string;
      raw: string;
      account_nonce: number;
      from_block: string;
    }[];
    return records.map(({ hash, raw, account_nonce, from_block }) => ({
      hash,
      raw,
      nonce: account_nonce,
      fromBlock: BigInt(from_block),
    }));
  }

  function toRow(record: PaymentRecord): PaymentRow {
    return {
      key: record.payment_key,
      fingerprint: record.fingerprint,
      network: record.network,
      payer: record.payer,
      paid: record.paid,
      route: record.route,
      canonicalInput: record.canonical_input,
      payload: record.payload,
      state: record.state,
      transactions: loadTransactions(record.payment_key),
      paymentResponse: record.payment_response ?? undefined,
      answer: loadAnswer(record.payment_key),
      trialGroup: record.trial_group ?? undefined,
    };
  }

  function load(key: string): PaymentRow | undefined {
    const record = selectPayment.get(key) as PaymentRecord | undefined;
    return record && toRow(record);
  }

  function claim(facts: PaymentFacts): { won: boolean; row: PaymentRow } {
    const at = now();
    const { key, fingerprint, network, payer, paid, route, canonicalInput, payload } = facts;
    const inserted = insertPayment.run(
      key,
      fingerprint,
      network,
      payer,
      paid,
      route,
      canonicalInput,
      payload,
      holder,
      at + leaseMs,
      at,
      at,
    );
    const won = inserted.changes === 1 || takeClaim.run(holder, at + leaseMs, at, key, fingerprint, at).changes === 1;
    const row = load(key);
    if (!row) throw new LedgerOrderError(`Payment ${key} is gone right after its claim.`);
    return { won, row };
  }

  /** False for a payment that is not an unanswered free call. */
  function giveBackTrial(key: string): boolean {
    if (forgetTrialPayment.run(key).changes !== 1) return false;
    forgetTrial.run(key);
    return true;
  }

  return {
    load: async (key) => load(key),
    claim: async (facts) => atomically(() => claim(facts)),
    journal: async (key, { hash, raw, nonce, fromBlock }) =>
      atomically(() => {
        assertMoved(markSent.run(now(), key), key, 'sent');
        insertTransaction.run(key, hash, raw, nonce, String(fromBlock), now(), key);
      }),
    settled: async (key, paymentResponse) => assertMoved(markSettled.run(paymentResponse, now(), key), key, 'settled'),
    refused: async (key, reason) =>
      atomically(() => {
        if (forgetClaimed.run(key).changes === 1) return;
        assertMoved(markRefused.run(reason, now(), key), key, 'refused');
      }),
    answered: async (key, answer) =>
      atomically(() => {
        assertMoved(markAnswered.run(now(), key), key, 'answered');
        insertAnswer.run(key, answer.status, answer.contentType, answer.body, now());
      }),
    hasTrial: async (group, wallet) => selectTrial.get(group, wallet) !== undefined,
    claimTrial: async ({ key, group, wallet, paymentResponse }) =>
      atomically(() => {
        if (insertTrial.run(group, wallet, key, now()).changes !== 1) return false;
        assertMoved(markTrial.run(group, paymentResponse, now(), key), key, 'settled');
        return true;
      }),
    failed: async (key, reason) =>
      atomically(() => {
        if (!giveBackTrial(key)) assertMoved(markFailed.run(reason, now(), key), key, 'settled');
      }),
    release: async (key) => {
      dropHolder.run(now(), key);
    },
    takeOverUnfinished: async () =>
      atomically(() => {
        // The file's exclusive lock is ours: whoever else holds a claim in it is dead.
        dropForeignHolders.run(holder);
        for (const { payment_key } of selectUnansweredTrials.all() as { payment_key: string }[])
          giveBackTrial(payment_key);
        const rows = (selectUnfinished.all() as PaymentRecord[]).map(toRow);
        for (const { key } of rows) takeOver.run(holder, now() + leaseMs, now(), key);
        return rows;
      }),
    close: async () => {
      close();
    },
  };
}
