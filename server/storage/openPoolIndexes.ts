import type { DatabaseLocation } from './database/database.ts';
import { openDatabase, openToRead } from './database/openDatabase.ts';
import { openSqliteToRead } from './database/sqlite.ts';
import { createPoolIndexStore, type PoolIndexStore } from './facts/poolIndexes.ts';
import { createPoolIndexReader, type PoolIndexReader } from './facts/poolIndexReader.ts';
import { poolFileOf } from './openStores.ts';

/**
 * Opens the pool indexes to read them, beside the running service.
 * @throws {DatabaseMissingError | DatabaseTooNewError | DatabaseTooOldError | DatabaseUnavailableError}
 */
export async function openPoolIndexesToRead(
  location: DatabaseLocation,
): Promise<{ of(chain: string): PoolIndexReader; close(): Promise<void> }> {
  const database =
    'url' in location
      ? { ...(await openToRead(location)), isShared: true }
      : { ...openSqliteToRead(poolFileOf(location.file)), isShared: false };
  return { of: (chain) => createPoolIndexReader(database, chain), close: () => database.close() };
}

/**
 * Opens the pool indexes to change them. With SQLite the service must be stopped.
 * @throws {DatabaseInUseError | DatabaseTooNewError | DatabaseUnavailableError}
 */
export async function openPoolIndexes(
  location: DatabaseLocation,
): Promise<{ of(chain: string): PoolIndexStore; close(): Promise<void> }> {
  const database = await openDatabase('url' in location ? location : { file: poolFileOf(location.file) });
  return { of: (chain) => createPoolIndexStore(database, chain), close: () => database.close() };
}
