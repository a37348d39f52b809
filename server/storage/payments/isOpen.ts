import { type ExpressionBuilder, sql as raw } from 'kysely';
import type { Tables } from '../database/tables.ts';

/**
 * Matches unanswered payments. Contains the literal of the partial index, because with a parameter SQLite would not use
 * the index and would scan all payments.
 */
export const isOpen = (is: ExpressionBuilder<Tables, 'payments'>) => is('state', '<>', raw.lit('answered' as const));
