import { type PaymentLedger, transitions } from '../../payments/index.ts';
import { assertMoved } from './assertMoved.ts';
import type { LedgerContext } from './ledgerContext.ts';
import { sentFor } from './sentFor.ts';

/** Records the end of a settlement: settled, refused, or settled and later lost in a reorganisation. */
export function createOutcomes({
  database: { write, clock },
  replica,
  now,
}: LedgerContext): Pick<PaymentLedger, 'settled' | 'refused' | 'lost'> {
  return {
    // Any replica that saw the money move may record it.
    settled: (key, paymentResponse) =>
      write(async (sql) => {
        // Before the payment's row, as in `reserve`: two transactions that lock both cannot deadlock.
        await sql
          .updateTable('payers')
          .set((is) => ({ failures: 0, settled: is('settled', '+', 1) }))
          .where('wallet', '=', (is) => is.selectFrom('payments').select('wallet').where('payment_key', '=', key))
          .execute();
        const moved = await sql
          .updateTable('payments')
          .set({
            state: 'settled',
            payment_response: paymentResponse,
            look_at: null,
            reserved: null,
            updated_at: now(),
          })
          .where('payment_key', '=', key)
          .where('state', 'in', transitions.settled.from)
          .executeTakeFirstOrThrow();
        assertMoved(moved, key, 'settled');
      }),
    refused: (key, reason) =>
      write(async (sql) => {
        const moved = await sql
          .updateTable('payments')
          .set((is) => {
            // If nothing was sent, no transaction needs to be looked up.
            const lookAt = is
              .case()
              .when(is.exists(sentFor(is)))
              .then(clock)
              .else(null)
              .end();
            return { state: 'refused', reason, holder: null, look_at: lookAt, reserved: null, updated_at: now() };
          })
          .where('payment_key', '=', key)
          .where('state', 'in', transitions.refused.from)
          .where('holder', '=', replica)
          .executeTakeFirstOrThrow();
        assertMoved(moved, key, 'refused');
      }),
    lost: (key) =>
      write(async (sql) => {
        const ofPayment = sql.selectFrom('payments').select('wallet').where('payment_key', '=', key);
        // Locks the wallet's row before the payment's, as `reserve` does.
        await sql
          .updateTable('payers')
          .set((is) => ({ settled: is.ref('settled') }))
          .where('wallet', '=', ofPayment)
          .execute();
        const { numUpdatedRows } = await sql
          .updateTable('payments')
          .set({ lost_at: now() })
          .where('payment_key', '=', key)
          .where('lost_at', 'is', null)
          .executeTakeFirst();
        // Another replica may have counted the loss.
        if (numUpdatedRows === 0n) return;
        await sql
          .updateTable('payers')
          .set((is) => ({ settled: is('settled', '-', 1) }))
          .where('settled', '>', 0)
          .where('wallet', '=', ofPayment)
          .execute();
      }),
  };
}
