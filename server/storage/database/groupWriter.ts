import { setTimeout as sleep } from 'node:timers/promises';
import { commitInThread } from './commitInThread.ts';
import type { Sql } from './database.ts';
import { DatabaseUnavailableError } from './errors.ts';
import type { SqliteConnection } from './sqliteConnection.ts';

interface Job {
  work: (sql: Sql) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** Larger groups would delay their first write. */
const maxGroupSize = 256;
/** Minimum time between two commits: writes requested meanwhile share the next one. */
const minCommitIntervalMs = 2;

/**
 * Group commit on one SQLite connection. Writes requested in one turn of the event loop, or within two milliseconds after
 * a commit, share one transaction and one disk sync, each in its own savepoint. The event loop continues during the sync.
 */
export function createGroupWriter(connection: SqliteConnection, sql: Sql) {
  const queue: Job[] = [];
  let draining: Promise<void> | undefined;
  let committedAt = 0;
  let isClosed = false;

  async function runOne(job: Job): Promise<() => void> {
    connection.exec('SAVEPOINT job');
    try {
      const value = await job.work(sql);
      connection.exec('RELEASE job');
      return () => job.resolve(value);
    } catch (error) {
      // A full or failing disk: SQLite has rolled back, so the whole group fails with this error.
      if (!connection.inTransaction) throw error;
      connection.exec('ROLLBACK TO job');
      connection.exec('RELEASE job');
      return () => job.reject(error);
    }
  }

  async function runGroup(group: readonly Job[]): Promise<void> {
    try {
      connection.exec('BEGIN IMMEDIATE');
      const ends: (() => void)[] = [];
      for (const job of group) ends.push(await runOne(job));
      await commitInThread(connection);
      committedAt = performance.now();
      for (const end of ends) end();
    } catch (error) {
      // The commit failed, or SQLite rolled back: nothing of the group was written.
      if (connection.inTransaction) connection.exec('ROLLBACK');
      for (const { reject } of group) reject(error);
    }
  }

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      const sinceCommitMs = performance.now() - committedAt;
      if (sinceCommitMs < minCommitIntervalMs) await sleep(minCommitIntervalMs - sinceCommitMs);
      else await new Promise(setImmediate);
      await runGroup(queue.splice(0, maxGroupSize));
    }
    draining = undefined;
  }

  return {
    async write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
      // libsql terminates the process when a closed connection is used.
      if (isClosed) throw new DatabaseUnavailableError('The database is closed.');
      return new Promise<T>((resolve, reject) => {
        queue.push({ work, resolve: resolve as Job['resolve'], reject });
        draining ??= drain();
      });
    },
    /** Accepts no more writes, and resolves when none is pending. */
    async close(): Promise<void> {
      isClosed = true;
      while (draining) await draining;
    },
  };
}
