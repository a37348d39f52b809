import type { ExpressionBuilder } from 'kysely';
import type { Tables } from '../database/tables.ts';

/** The journaled transactions of a payment, for `exists`. */
export const sentFor = (is: ExpressionBuilder<Tables, 'payments'>) =>
  is
    .selectFrom('settlement_transactions')
    .select('position')
    .whereRef('settlement_transactions.payment_key', '=', 'payments.payment_key');
