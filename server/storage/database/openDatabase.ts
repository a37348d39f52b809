import type { Database, DatabasePlace } from './database.ts';

/**
 * Opens the database and brings its tables up to date. Of the two kinds only the one that is used is loaded.
 * @throws {DatabaseInUseError | DatabaseTooNewError | DatabaseUnavailableError}
 */
export async function openDatabase(place: DatabasePlace): Promise<Database> {
  if ('url' in place) {
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres(place.url);
  }
  const { openSqlite } = await import('./sqlite.ts');
  return openSqlite(place.file);
}
