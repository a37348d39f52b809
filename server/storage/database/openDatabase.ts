import type { Database, DatabasePlace } from './database.ts';

/**
 * Opens the database and runs the migrations. Loads only the driver in use.
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
