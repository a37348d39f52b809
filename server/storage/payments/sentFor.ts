import type { ExpressionBuilder } from 'kysely';
import type { Tables } from '../database/tables.ts';

/** Subquery for `exists`: the payment's journaled transactions. */
export const sentFor = (is: ExpressionBuilder<Tables, 'payments'>) =>
  is
    .selectFrom('settlement_transactions')
    .select('position')
    .whereRef('settlement_transactions.payment_key', '=', 'payments.payment_key');
