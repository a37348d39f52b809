import type { Database, DatabaseLocation } from './database.ts';

/**
 * Opens the database and runs the migrations. Loads only the driver in use.
 * @throws {DatabaseInUseError | DatabaseTooNewError | DatabaseUnavailableError}
 */
export async function openDatabase(location: DatabaseLocation): Promise<Database> {
  if ('url' in location) {
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres(location.url);
  }
  const { openSqlite } = await import('./sqlite.ts');
  return openSqlite(location.file);
}

/**
 * Opens the database to read, beside the running service. Loads only the driver in use.
 * @throws {DatabaseMissingError | DatabaseTooNewError | DatabaseTooOldError | DatabaseUnavailableError}
 */
export async function openToRead(location: DatabaseLocation): Promise<Pick<Database, 'read' | 'close'>> {
  if ('url' in location) {
    const { openPostgresToRead } = await import('./postgres.ts');
    return openPostgresToRead(location.url);
  }
  const { openSqliteToRead } = await import('./sqlite.ts');
  return openSqliteToRead(location.file);
}
