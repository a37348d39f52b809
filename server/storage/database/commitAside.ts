import LibsqlAside from 'libsql/promise';
import type { SqliteConnection } from './sqlite.ts';

/**
 * Ends a connection's transaction in a thread of libsql's, while the event loop goes on: it is there that the disk is
 * waited for, and that the log is written back into the file. Nothing may be asked of that connection meanwhile.
 *
 * libsql has the same connection under two classes, and only the other one does this.
 * @throws SqliteError when nothing was written; the transaction may still be open
 */
export const commitAside = (connection: SqliteConnection): Promise<void> =>
  LibsqlAside.prototype.exec.call(connection, 'COMMIT');
