import { type ExpressionBuilder, sql as raw } from 'kysely';
import type { Tables } from '../database/tables.ts';

/**
 * What is not answered, in the words of the partial index of open payments. A state behind a parameter does not tell
 * SQLite that the index holds all: it would read every payment that there has ever been.
 */
export const isOpen = (is: ExpressionBuilder<Tables, 'payments'>) => is('state', '<>', raw.lit('answered' as const));
