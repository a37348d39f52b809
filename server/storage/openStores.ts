import type { PaymentLedger } from '../payments/index.ts';
import type { Database, DatabaseLocation } from './database/database.ts';
import { openDatabase } from './database/openDatabase.ts';
import { createFacts, type Facts } from './facts/createFacts.ts';
import { createLedger } from './payments/ledger.ts';
import { createPaymentBook, type PaymentBook } from './payments/paymentBook.ts';
import { registerReplica } from './payments/presence.ts';
import { createRateCounts, type RateCounts } from './shared/rateCounts.ts';
import { createSharedAnswers, type SharedAnswers } from './shared/sharedAnswers.ts';

/** Everything that the service stores. */
export interface Stores {
  readonly database: Database;
  /** The database of the pool index; with PostgreSQL the same one. */
  readonly pools: Database;
  /** The replica id of this process. */
  readonly replica: string;
  readonly ledger: PaymentLedger;
  /** Read-only ledger queries for operators. */
  readonly book: PaymentBook;
  readonly answers: SharedAnswers;
  readonly rates: RateCounts;
  /** Facts about one chain's tokens. */
  facts(chain: string): Facts;
  close(): Promise<void>;
}

/**
 * Opens the database, runs the migrations and registers this process.
 *
 * @param options.leaseMs milliseconds without a renewal after which the lease of a replica expires. Then other replicas
 * take
 *   over its payments.
 * @throws {DatabaseInUseError | DatabaseTooNewError | DatabaseUnavailableError}
 * @example
 * const stores = await openStores({ file: 'data/truefill.sqlite' }, Date.now);
 * await stores.ledger.load(key);
 */
export async function openStores(
  location: DatabaseLocation,
  now: () => number,
  { leaseMs = 20_000 }: { leaseMs?: number } = {},
): Promise<Stores> {
  const database = await openDatabase(location);
  const pools = await openPools(location, database).catch(async (cause) => {
    await database.close();
    throw cause;
  });
  const close = async () => {
    if (pools !== database) await pools.close();
    await database.close();
  };
  const presence = await registerReplica(database, now, leaseMs).catch(async (cause) => {
    await close();
    throw cause;
  });
  return {
    database,
    pools,
    replica: presence.replica,
    ledger: createLedger(database, presence, now),
    book: createPaymentBook(database.read),
    answers: createSharedAnswers(database, presence.replica, now),
    rates: createRateCounts(database),
    facts: (chain) => createFacts(database, chain, pools),
    async close() {
      // If the row cannot be removed, the lease expires after `leaseMs`.
      await presence.close().catch(() => undefined);
      await close();
    },
  };
}

/**
 * The database of the pool index: a file of its own, which can grow to gigabytes and needs no backup. In PostgreSQL the
 * replicas share its tables.
 */
async function openPools(location: DatabaseLocation, database: Database): Promise<Database> {
  return 'url' in location ? database : openDatabase({ file: poolFileOf(location.file) });
}

/** `truefill.sqlite` → `truefill.pools.sqlite`. */
export const poolFileOf = (file: string): string => `${file.replace(/\.sqlite$/, '')}.pools.sqlite`;
