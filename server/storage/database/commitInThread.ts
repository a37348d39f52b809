import LibsqlAside from 'libsql/promise';
import type { SqliteConnection } from './sqliteConnection.ts';

/**
 * Commits a connection's transaction in a libsql thread, so that the event loop continues during the disk sync and
 * the WAL checkpoint. The connection must not be used until it resolves.
 *
 * libsql exposes the same connection as two classes, and only the other one has this method.
 * @throws SqliteError when nothing was written; the transaction may still be open
 */
export const commitInThread = (connection: SqliteConnection): Promise<void> =>
  LibsqlAside.prototype.exec.call(connection, 'COMMIT');
