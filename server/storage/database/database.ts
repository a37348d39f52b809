import type { Expression, Kysely } from 'kysely';
import type { Tables } from './tables.ts';

export type Sql = Kysely<Tables>;

/** One database, embedded or shared. Everything else in this room is written once, against this. */
export interface Database {
  /** Whether other processes may work on it at the same time. */
  readonly isShared: boolean;
  /** Milliseconds since the epoch by the database's own clock: those of the processes that share it may be far apart. */
  readonly clock: Expression<number>;
  /** Sees what has been committed. @throws {DatabaseUnavailableError} */
  readonly read: Sql;
  /**
   * All or nothing, and on disk when it resolves; many at once share one wait for the disk. `work` awaits nothing
   * but its own statements.
   * @throws {DatabaseUnavailableError}
   */
  write<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** The same for a single statement, which is all or nothing by itself: a shared database is asked once instead of three times. */
  step<T>(statement: (sql: Sql) => Promise<T>): Promise<T>;
  /** Within `write`: until its end, no other transaction passes this point with the same name. */
  lock(sql: Sql, name: string): Promise<void>;
  /**
   * Runs `work` while no other process runs work of that name; within one process the caller sees to it.
   * @throws {DatabaseUnavailableError} before `work` has begun
   */
  inTurn<T>(name: string, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Where it is: a file of our own, or a server that replicas share. */
export type DatabasePlace = { file: string } | { url: string };
