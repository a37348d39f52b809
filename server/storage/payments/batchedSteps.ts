import { sql as raw } from 'kysely';
import { LedgerOrderError, type PaymentFacts, type PaymentLedger, transitions } from '../../payments/index.ts';
import type { StoredAnswer } from '../../payments/paymentTypes.ts';
import type { Database, Sql } from '../database/database.ts';
import { inBatches } from './inBatches.ts';
import { loadPayments, newRow, toRecord } from './records.ts';

type Steps = Pick<PaymentLedger, 'load' | 'claim' | 'settled' | 'answered'>;

/** A batch with a payment that cannot take the step, or occurs twice, is rolled back, and each runs alone. */
function assertAll(keys: readonly string[], moved: bigint | undefined): void {
  if (moved !== BigInt(keys.length)) throw new LedgerOrderError('A payment of a batch cannot take this step.');
}

const keysOf = (items: readonly { key: string }[]): string[] => [...new Set(items.map(({ key }) => key))];

/** Rows for `FROM`; both databases name their columns column1, column2, … */
const rowsOf = (items: readonly (readonly [string, string | null])[]) =>
  raw`(VALUES ${raw.join(items.map(([key, value]) => raw`(CAST(${key} AS TEXT), CAST(${value} AS TEXT))`))})`;

const byKey = (a: PaymentFacts, b: PaymentFacts) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

/**
 * The steps that every payment takes, for many payments at once. Without this, each payment needs fifteen round trips to
 * PostgreSQL.
 *
 * @param steps the same steps for one payment
 */
export function batchSteps(
  { read, write, step, clock }: Database,
  replica: string,
  now: () => number,
  steps: Steps,
): Steps {
  async function claimMany(all: readonly PaymentFacts[]) {
    const inserted = await step((sql) =>
      sql
        .insertInto('payments')
        // In one order, because batches of two replicas that lock the same keys in different orders block each other.
        .values(all.toSorted(byKey).map((facts) => toRecord(facts, replica, now())))
        .onConflict((conflict) => conflict.column('payment_key').doNothing())
        .returning('payment_key')
        .execute(),
    );
    const first = new Set(inserted.map(({ payment_key }) => payment_key));
    // `delete`: of two claims of one payment in this batch, one inserted it.
    return Promise.all(
      all.map((facts) =>
        first.delete(facts.key) ? { won: true, isFirst: true, row: newRow(facts) } : steps.claim(facts),
      ),
    );
  }

  /** Counts settlements for their wallets, in the wallets' order, so that two replicas cannot deadlock. */
  async function countSettled(sql: Sql, keys: readonly string[]): Promise<void> {
    const rows = await sql
      .selectFrom('payments')
      .select((is) => ['wallet', is.fn.countAll<number>().as('settled')])
      .where('payment_key', 'in', keys)
      .where('wallet', 'is not', null)
      .groupBy('wallet')
      .execute();
    if (rows.length === 0) return;
    // As `lockPayers` sorts: the database's own order of letters may differ.
    const byWallet = new Map(rows.map(({ wallet, settled }) => [wallet ?? '', Number(settled)]));
    await sql
      .insertInto('payers')
      .values(
        [...byWallet.keys()].toSorted().map((wallet) => ({
          wallet,
          failures: 0,
          settled: byWallet.get(wallet) ?? 0,
          paused_until: 0,
          updated_at: clock,
        })),
      )
      .onConflict((conflict) =>
        conflict
          .column('wallet')
          .doUpdateSet((is) => ({ failures: 0, settled: is('payers.settled', '+', is.ref('excluded.settled')) })),
      )
      .execute();
  }

  async function settleMany(all: readonly { key: string; paymentResponse: string }[]) {
    await write(async (sql) => {
      const keys = keysOf(all);
      await countSettled(sql, keys);
      const { numAffectedRows } = await raw`
        UPDATE payments
        SET state = 'settled', payment_response = paid.column2, look_at = NULL, reserved = NULL, updated_at = ${now()}
        FROM ${rowsOf(all.map(({ key, paymentResponse }) => [key, paymentResponse]))} AS paid
        WHERE payment_key = paid.column1 AND state IN (${raw.join(transitions.settled.from)})
      `.execute(sql);
      assertAll(keys, numAffectedRows);
      if (keys.length !== all.length) throw new LedgerOrderError('A payment occurs twice in a batch.');
    });
    return all.map(() => undefined);
  }

  async function answerMany(all: readonly { key: string; answer: StoredAnswer }[]): Promise<StoredAnswer[]> {
    await write(async (sql) => {
      const at = now();
      // Only first answers: another one needs the stored answer.
      const { numAffectedRows } = await raw`
        UPDATE payments
        SET state = 'answered', holder = NULL, updated_at = ${at},
          payment_response = COALESCE(given.column2, payment_response)
        FROM ${rowsOf(all.map(({ key, answer }) => [key, answer.paymentResponse ?? null]))} AS given
        WHERE payment_key = given.column1 AND state = 'settled'
      `.execute(sql);
      assertAll(
        all.map(({ key }) => key),
        numAffectedRows,
      );
      await sql
        .insertInto('answers')
        .values(
          all.map(({ key, answer: { status, contentType, body } }) => ({
            payment_key: key,
            status,
            content_type: contentType,
            body,
            created_at: at,
          })),
        )
        .execute();
    });
    return all.map(({ answer }) => answer);
  }

  const settle = inBatches(async ({ key, paymentResponse }): Promise<undefined> => {
    await steps.settled(key, paymentResponse);
  }, settleMany);
  const store = inBatches(({ key, answer }) => steps.answered(key, answer), answerMany);
  return {
    load: inBatches(steps.load, async (keys) => {
      const found = await loadPayments(read, [...new Set(keys)]);
      return keys.map((key) => found.get(key));
    }),
    claim: inBatches(steps.claim, claimMany),
    settled: (key, paymentResponse) => settle({ key, paymentResponse }),
    answered: (key, answer) => store({ key, answer }),
  };
}
