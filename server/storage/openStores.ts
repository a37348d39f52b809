import type { PaymentLedger } from '../payments/index.ts';
import type { Database, DatabasePlace } from './database/database.ts';
import { openDatabase } from './database/openDatabase.ts';
import { createFacts, type Facts } from './facts/createFacts.ts';
import { createLedger } from './payments/ledger.ts';
import { createPaymentBook, type PaymentBook } from './payments/paymentBook.ts';
import { announce } from './payments/presence.ts';
import { createRateCounts, type RateCounts } from './shared/rateCounts.ts';
import { createSharedAnswers, type SharedAnswers } from './shared/sharedAnswers.ts';

/** All that the service remembers. */
export interface Stores {
  readonly database: Database;
  /** This process among the replicas. */
  readonly replica: string;
  readonly ledger: PaymentLedger;
  /** The ledger as the operator sees it. */
  readonly book: PaymentBook;
  readonly answers: SharedAnswers;
  readonly rates: RateCounts;
  /** What is known of one chain's tokens. */
  facts(chain: string): Facts;
  close(): Promise<void>;
}

/**
 * Opens the database, brings its tables up to date and makes this process known in it.
 *
 * @param options.deathMs a replica that is not heard of for so long counts as dead, and what it worked on is taken over
 * @throws {DatabaseInUseError | DatabaseTooNewError | DatabaseUnavailableError}
 * @example
 * const stores = await openStores({ file: 'data/truefill.sqlite' }, Date.now);
 * await stores.ledger.load(key);
 */
export async function openStores(
  place: DatabasePlace,
  now: () => number,
  { deathMs = 20_000 }: { deathMs?: number } = {},
): Promise<Stores> {
  const database = await openDatabase(place);
  const presence = await announce(database, now, deathMs).catch(async (cause) => {
    await database.close();
    throw cause;
  });
  return {
    database,
    replica: presence.replica,
    ledger: createLedger(database, presence, now),
    book: createPaymentBook(database.read),
    answers: createSharedAnswers(database, presence.replica, now),
    rates: createRateCounts(database),
    facts: (chain) => createFacts(database, chain),
    async close() {
      // Gone without a word, it is taken for dead a little later.
      await presence.close().catch(() => undefined);
      await database.close();
    },
  };
}
