import PromiseLibsql from 'libsql/promise';
import type { SqliteConnection } from './sqliteConnection.ts';

/**
 * Commits a connection's transaction in a libsql thread, so that the event loop continues during the disk sync and
 * the WAL checkpoint. The connection must not be used until it resolves.
 *
 * libsql exports two classes over the same native connection. Only the class of libsql/promise runs `exec` in a thread.
 * @throws SqliteError when nothing was written; the transaction may still be open
 */
export const commitInThread = (connection: SqliteConnection): Promise<void> =>
  PromiseLibsql.prototype.exec.call(connection, 'COMMIT');
