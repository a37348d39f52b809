import { type ExpressionBuilder, sql as raw } from 'kysely';
import type { Tables } from '../database/tables.ts';

/**
 * Matches unanswered payments with the literal of the partial index. With a parameter SQLite would not use the index and
 * would scan every payment.
 */
export const isOpen = (is: ExpressionBuilder<Tables, 'payments'>) => is('state', '<>', raw.lit('answered' as const));
