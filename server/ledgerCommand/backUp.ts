import { ConfigError } from '../config/index.ts';
import { backUpSqlite, type DatabaseLocation } from '../storage/index.ts';

/**
 * Copies the SQLite ledger into a new file while the service runs.
 * @returns a line for the terminal
 * @throws {ConfigError} without a target, and for PostgreSQL, which has its own tools
 * @throws {BackupTargetError | DatabaseMissingError}
 */
export function backUp(location: DatabaseLocation, target: string | undefined): string {
  if (target === undefined)
    throw new ConfigError(['backup needs the path of the copy: backup /backups/truefill.sqlite']);
  if ('url' in location)
    throw new ConfigError(['backup copies an SQLite file, and DATABASE_URL names PostgreSQL: use pg_dump']);
  backUpSqlite(location.file, target);
  return `Copied ${location.file} to ${target}. The copy passed the integrity check of SQLite.\n`;
}
