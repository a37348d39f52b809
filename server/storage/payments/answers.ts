import { type PaymentLedger, transitions } from '../../payments/index.ts';
import { assertTransition } from './assertTransition.ts';
import { giveBackTrials } from './freeCalls.ts';
import type { LedgerContext } from './ledgerContext.ts';

/** Records whether the request of a settled payment was answered, or failed. */
export function createAnswers({
  database: { write },
  replica,
  now,
}: LedgerContext): Pick<PaymentLedger, 'answered' | 'failed'> {
  return {
    answered: (key, answer) =>
      write(async (sql) => {
        const { status, contentType, body, paymentResponse } = answer;
        const updated = await sql
          .updateTable('payments')
          .set((is) => ({
            state: 'answered',
            holder: null,
            updated_at: now(),
            // Only with the first answer; a later one is not stored.
            ...(paymentResponse !== undefined && {
              payment_response: is
                .case()
                .when('state', '=', 'settled')
                .then(paymentResponse)
                .else(is.ref('payment_response'))
                .end(),
            }),
          }))
          .where('payment_key', '=', key)
          .where('state', 'in', transitions.answered.from)
          .executeTakeFirstOrThrow();
        assertTransition(updated, key, 'answered');
        const first = await sql
          .insertInto('answers')
          .values({ payment_key: key, status, content_type: contentType, body, created_at: now() })
          .onConflict((conflict) => conflict.column('payment_key').doNothing())
          .executeTakeFirstOrThrow();
        if (first.numInsertedOrUpdatedRows === 1n) return answer;
        const stored = await sql
          .selectFrom('answers')
          .innerJoin('payments', 'payments.payment_key', 'answers.payment_key')
          .select(['answers.status', 'content_type', 'body', 'payment_response'])
          .where('answers.payment_key', '=', key)
          .executeTakeFirstOrThrow();
        return {
          status: stored.status,
          contentType: stored.content_type,
          body: stored.body,
          ...(stored.payment_response !== null && { paymentResponse: stored.payment_response }),
        };
      }),
    failed: (key, reason) =>
      write(async (sql) => {
        const given = await giveBackTrials(sql, (is) =>
          is.and([is('payment_key', '=', key), is('holder', '=', replica)]),
        );
        if (given > 0) return;
        const updated = await sql
          .updateTable('payments')
          .set((is) => ({ failures: is('failures', '+', 1), reason, holder: null, updated_at: now() }))
          .where('payment_key', '=', key)
          .where('state', 'in', transitions.failed.from)
          .executeTakeFirstOrThrow();
        assertTransition(updated, key, 'settled');
      }),
  };
}
