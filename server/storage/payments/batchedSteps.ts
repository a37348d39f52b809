import { sql as raw } from 'kysely';
import {
  type GasSpent,
  LedgerOrderError,
  type PaymentFacts,
  type PaymentLedger,
  transitions,
} from '../../payments/index.ts';
import type { StoredAnswer } from '../../payments/paymentTypes.ts';
import type { Database, Sql } from '../database/database.ts';
import { gasNotRead, gasSums } from './addGas.ts';
import { inBatches } from './inBatches.ts';
import type { LedgerContext } from './ledgerContext.ts';
import { loadPayments, newRow } from './records.ts';

interface Settled {
  key: string;
  paymentResponse: string;
  gas: GasSpent;
}

const gasAssignments = Object.entries(gasSums((field) => raw`(each.value -> 'gas' ->> ${raw.lit(field)})`)).map(
  ([column, value]) => raw`${raw.ref(column)} = ${value}`,
);

type Steps = Pick<PaymentLedger, 'load' | 'claim' | 'settled' | 'answered'>;

/**
 * Asserts that an update changed the state of each payment. If it throws, `inBatches` runs each payment separately.
 * @throws {LedgerOrderError} the state of a payment does not allow the update, or a key occurs twice
 */
function assertAllChanged(keys: readonly string[], changed: bigint | undefined): void {
  if (changed !== BigInt(keys.length))
    throw new LedgerOrderError('A payment of a batch has no such transition, or occurs twice.');
}

const keysOf = (items: readonly { key: string }[]): string[] => [...new Set(items.map(({ key }) => key))];

const byKey = (a: PaymentFacts, b: PaymentFacts) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

/** Claims payments. Those that are known already are claimed one by one, by `claimOne`. */
async function claimMany(
  { database: { step, rows }, replica, now }: LedgerContext,
  claimOne: PaymentLedger['claim'],
  all: readonly PaymentFacts[],
) {
  const at = raw`CAST(${now()} AS BIGINT)`;
  // Sorted, because two replicas that lock the same keys in different orders would deadlock.
  const sorted = all.toSorted(byKey);
  const { rows: inserted } = await step((sql) =>
    raw<{ payment_key: string }>`
      INSERT INTO payments (payment_key, fingerprint, network, payer, paid, route, canonical_input, payload,
        state, holder, failures, created_at, updated_at, amount, asset, pay_to)
      SELECT value ->> 'key', value ->> 'fingerprint', value ->> 'network', value ->> 'payer', value ->> 'paid',
        value ->> 'route', value ->> 'canonicalInput', value ->> 'payload',
        'claimed', CAST(${replica} AS TEXT), 0, ${at}, ${at},
        CAST(value -> 'terms' ->> 'amount' AS BIGINT), value -> 'terms' ->> 'asset', value -> 'terms' ->> 'payTo'
      FROM ${rows(sorted)} AS each WHERE true
      ON CONFLICT (payment_key) DO NOTHING
      RETURNING payment_key
    `.execute(sql),
  );
  const first = new Set(inserted.map(({ payment_key }) => payment_key));
  // `delete`, so that only the first of two claims for one payment in this batch counts as the insert.
  return Promise.all(
    all.map((facts) => (first.delete(facts.key) ? { won: true, isFirst: true, row: newRow(facts) } : claimOne(facts))),
  );
}

/** Increments the wallets' counts of settlements, sorted by wallet, so that two replicas cannot deadlock. */
async function countSettled({ rows, clock }: Database, sql: Sql, keys: readonly string[]): Promise<void> {
  const { rows: found } = await raw<{ wallet: string; settled: number }>`
    SELECT wallet, count(*) AS settled FROM payments
    WHERE payment_key IN (SELECT value ->> 'key' FROM ${rows(keys.map((key) => ({ key })))} AS each)
      AND wallet IS NOT NULL
    GROUP BY wallet
  `.execute(sql);
  if (found.length === 0) return;
  // The same order as in `lockPayers`: the database's collation may sort differently.
  const sorted = found.toSorted((a, b) => (a.wallet < b.wallet ? -1 : 1));
  await raw`
    INSERT INTO payers (wallet, failures, settled, paused_until, updated_at)
    SELECT value ->> 'wallet', 0, CAST(value ->> 'settled' AS BIGINT), 0, ${clock}
    FROM ${rows(sorted)} AS each WHERE true
    ON CONFLICT (wallet) DO UPDATE SET failures = 0, settled = payers.settled + excluded.settled
  `.execute(sql);
}

async function settleMany({ database, now }: LedgerContext, all: readonly Settled[]): Promise<undefined[]> {
  await database.write(async (sql) => {
    await countSettled(database, sql, keysOf(all));
    const { numAffectedRows } = await raw`
      UPDATE payments
      SET state = 'settled', payment_response = each.value ->> 'paymentResponse', look_at = NULL, reserved = NULL,
        updated_at = ${now()}, ${raw.join(gasAssignments)}
      FROM ${database.rows(all)} AS each
      WHERE payment_key = each.value ->> 'key' AND state IN (${raw.join(transitions.settled.from)})
    `.execute(sql);
    assertAllChanged(
      all.map(({ key }) => key),
      numAffectedRows,
    );
  });
  return all.map(() => undefined);
}

async function answerMany(
  { database: { write, rows }, now }: LedgerContext,
  all: readonly { key: string; answer: StoredAnswer }[],
): Promise<StoredAnswer[]> {
  await write(async (sql) => {
    const at = now();
    // Matches first answers only. A second answer to a payment runs alone, in `createAnswers`, and gets the stored one.
    const { numAffectedRows } = await raw`
      UPDATE payments
      SET state = 'answered', holder = NULL, updated_at = ${at},
        payment_response = COALESCE(each.value ->> 'paymentResponse', payment_response)
      FROM ${rows(all.map(({ key, answer: { paymentResponse } }) => ({ key, paymentResponse })))} AS each
      WHERE payment_key = each.value ->> 'key' AND state = 'settled'
    `.execute(sql);
    assertAllChanged(
      all.map(({ key }) => key),
      numAffectedRows,
    );
    await raw`
      INSERT INTO answers (payment_key, status, content_type, body, created_at)
      SELECT value ->> 'key', CAST(value ->> 'status' AS BIGINT), value ->> 'contentType', value ->> 'body',
        CAST(${at} AS BIGINT)
      FROM ${rows(all.map(({ key, answer: { status, contentType, body } }) => ({ key, status, contentType, body })))} AS each
    `.execute(sql);
  });
  return all.map(({ answer }) => answer);
}

/**
 * Runs the steps of concurrent payments in batches. Without batches, each payment needs fifteen round trips to PostgreSQL.
 *
 * @param steps the same steps for one payment
 */
export function batchSteps(context: LedgerContext, steps: Steps): Steps {
  const settle = inBatches(
    async ({ key, paymentResponse, gas }: Settled): Promise<undefined> => {
      await steps.settled(key, paymentResponse, gas);
    },
    (all) => settleMany(context, all),
  );
  const store = inBatches(
    ({ key, answer }: { key: string; answer: StoredAnswer }) => steps.answered(key, answer),
    (all) => answerMany(context, all),
  );
  return {
    load: inBatches(steps.load, async (keys) => {
      const found = await loadPayments(context.database, [...new Set(keys)]);
      return keys.map((key) => found.get(key));
    }),
    claim: inBatches(steps.claim, (all) => claimMany(context, steps.claim, all)),
    settled: (key, paymentResponse, gas = gasNotRead) => settle({ key, paymentResponse, gas }),
    answered: (key, answer) => store({ key, answer }),
  };
}
