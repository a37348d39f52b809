import { existsSync, linkSync, rmSync } from 'node:fs';
import Libsql from 'libsql';
import { BackupTargetError, DatabaseMissingError } from './errors.ts';

/**
 * Copies a database that another process may be writing to. The copy has every commit before this call, because SQLite
 * reads the file and its WAL in one transaction. The target appears only once it is complete and has been checked, so an
 * interrupted copy is never taken for a backup.
 * @throws {BackupTargetError} if the target exists, cannot be written, or is damaged
 * @throws {DatabaseMissingError}
 */
export function backUpSqlite(file: string, target: string): void {
  if (!existsSync(file)) throw new DatabaseMissingError(file);
  if (existsSync(target)) throw new BackupTargetError(target, 'the file exists already');
  const partial = `${target}.${process.pid}.partial`;
  try {
    const source = new Libsql(file, { timeout: 10_000 });
    try {
      source.prepare('VACUUM INTO ?').run(partial);
    } finally {
      source.close();
    }
    checkIntegrity(partial, target);
    // Unlike a rename, a link fails if another process has created the target meanwhile.
    linkSync(partial, target);
  } catch (error) {
    if (error instanceof BackupTargetError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new BackupTargetError(target, reason, { cause: error });
  } finally {
    rmSync(partial, { force: true });
  }
}

function checkIntegrity(copy: string, target: string): void {
  const connection = new Libsql(copy, {});
  try {
    const row = connection.prepare('PRAGMA integrity_check').get() as { integrity_check?: string } | undefined;
    const result = row?.integrity_check ?? 'no result';
    if (result !== 'ok') throw new BackupTargetError(target, `the copy is damaged: ${result}`);
  } finally {
    connection.close();
  }
}
