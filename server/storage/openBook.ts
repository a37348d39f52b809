import type { DatabaseLocation } from './database/database.ts';
import { openToRead } from './database/openDatabase.ts';
import { createPaymentBook, type PaymentBook } from './payments/paymentBook.ts';

/**
 * Opens the ledger read-only, beside the running service.
 * @throws {DatabaseMissingError | DatabaseTooNewError | DatabaseTooOldError | DatabaseUnavailableError}
 */
export async function openBook(location: DatabaseLocation): Promise<{ book: PaymentBook; close(): Promise<void> }> {
  const database = await openToRead(location);
  return { book: createPaymentBook(database.read), close: () => database.close() };
}
