import type { Database, DatabasePlace } from './database.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

/**
 * Opens the database and brings its tables up to date.
 * @throws {DatabaseInUseError | DatabaseTooNewError | DatabaseUnavailableError}
 */
export async function openDatabase(place: DatabasePlace): Promise<Database> {
  return 'url' in place ? openPostgres(place.url) : openSqlite(place.file);
}
