import { type PaymentLedger, type PaymentRow, transitions } from '../../payments/index.ts';
import type { Database } from '../database/database.ts';
import { addGas, gasNotRead } from './addGas.ts';
import { isFree } from './presence.ts';
import { loadPayment } from './records.ts';

/** Selects refused payments for rechecks, and records the results. */
export function createRefusedPayments(
  { write, step, clock }: Database,
  now: () => number,
): Pick<PaymentLedger, 'takeRefused' | 'foundPaid' | 'foundExpired'> {
  return {
    takeRefused: (most, pauseMs) =>
      write(async (sql) => {
        const taken = await sql
          .updateTable('payments')
          .set((is) => {
            // Uses the database's clock, because the replicas' clocks may differ.
            const sentAt = is
              .selectFrom('settlement_transactions')
              .select((sent) => sent.fn.max('created_at').as('sent_at'))
              .whereRef('settlement_transactions.payment_key', '=', 'payments.payment_key');
            const age = is.parens(clock, '-', sentAt);
            return {
              look_at: is(
                clock,
                '+',
                is
                  .case()
                  .when(is(age, '>', pauseMs))
                  .then(age)
                  .else(pauseMs)
                  .end(),
              ),
            };
          })
          .where('payment_key', 'in', (is) =>
            is
              .selectFrom('payments')
              .select('payment_key')
              .where('state', '=', 'refused')
              .where('look_at', '<=', clock)
              .orderBy('look_at')
              .limit(most),
          )
          // Repeated for rows that another replica has changed after the subquery.
          .where('look_at', '<=', clock)
          .returning('payment_key')
          .execute();
        const rows: PaymentRow[] = [];
        for (const { payment_key } of taken) {
          const row = await loadPayment(sql, payment_key);
          if (row) rows.push(row);
        }
        return rows;
      }),
    foundPaid: (key, paymentResponse) =>
      step(async (sql) => {
        const { numUpdatedRows } = await sql
          .updateTable('payments')
          .set({
            state: 'settled',
            payment_response: paymentResponse,
            holder: null,
            look_at: null,
            reserved: null,
            updated_at: now(),
            ...addGas(gasNotRead),
          })
          .where('payment_key', '=', key)
          .where('state', 'in', transitions.foundPaid.from)
          .where(isFree(clock))
          .executeTakeFirstOrThrow();
        return numUpdatedRows === 1n;
      }),
    foundExpired: (key) =>
      step(async (sql) => {
        await sql
          .updateTable('payments')
          .set({ look_at: null })
          .where('payment_key', '=', key)
          .where('state', '=', 'refused')
          .execute();
      }),
  };
}
