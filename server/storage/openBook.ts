import type { DatabaseLocation } from './database/database.ts';
import { openDatabase } from './database/openDatabase.ts';
import { openSqliteToRead } from './database/sqlite.ts';
import { createPaymentBook, type PaymentBook } from './payments/paymentBook.ts';

/**
 * Opens the ledger read-only, beside the running service.
 * @throws {DatabaseMissingError | DatabaseTooNewError | DatabaseUnavailableError}
 */
export async function openBook(location: DatabaseLocation): Promise<{ book: PaymentBook; close(): Promise<void> }> {
  const database = 'url' in location ? await openDatabase(location) : openSqliteToRead(location.file);
  return { book: createPaymentBook(database.read), close: () => database.close() };
}
