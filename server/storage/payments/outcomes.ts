import { type PaymentLedger, transitions } from '../../payments/index.ts';
import { addGas, gasNotRead } from './addGas.ts';
import { assertTransition } from './assertTransition.ts';
import type { LedgerContext } from './ledgerContext.ts';
import { sentFor } from './sentFor.ts';

/** Records the outcomes of settlements: settled, refused, or lost in a reorganisation. */
export function createOutcomes({
  database: { write, clock },
  replica,
  now,
}: LedgerContext): Pick<PaymentLedger, 'settled' | 'refused' | 'lost'> {
  return {
    // Not limited to the owner: any replica may read from the chain that the payment paid.
    settled: (key, paymentResponse, gas = gasNotRead) =>
      write(async (sql) => {
        // Updates the wallet's row before the payment's, like `reserve`, so that the two cannot deadlock.
        await sql
          .updateTable('payers')
          .set((is) => ({ failures: 0, settled: is('settled', '+', 1) }))
          .where('wallet', '=', (is) => is.selectFrom('payments').select('wallet').where('payment_key', '=', key))
          .execute();
        const updated = await sql
          .updateTable('payments')
          .set({
            state: 'settled',
            payment_response: paymentResponse,
            look_at: null,
            reserved: null,
            updated_at: now(),
            ...addGas(gas),
          })
          .where('payment_key', '=', key)
          .where('state', 'in', transitions.settled.from)
          .executeTakeFirstOrThrow();
        assertTransition(updated, key, 'settled');
      }),
    refused: (key, reason, gas) =>
      write(async (sql) => {
        const updated = await sql
          .updateTable('payments')
          .set((is) => {
            // Rechecked only if a transaction was sent.
            const lookAt = is
              .case()
              .when(is.exists(sentFor(is)))
              .then(clock)
              .else(null)
              .end();
            const ended = { state: 'refused', holder: null, reserved: null, updated_at: now() } as const;
            return { ...ended, reason, look_at: lookAt, ...(gas && addGas(gas)) };
          })
          .where('payment_key', '=', key)
          .where('state', 'in', transitions.refused.from)
          .where('holder', '=', replica)
          .executeTakeFirstOrThrow();
        assertTransition(updated, key, 'refused');
      }),
    lost: (key) =>
      write(async (sql) => {
        const ofPayment = sql.selectFrom('payments').select('wallet').where('payment_key', '=', key);
        // Locks the wallet's row before the payment's, like `reserve`, so that the two cannot deadlock.
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
        // Another replica may have recorded the loss.
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
