import type { Expression, Kysely, RawBuilder } from 'kysely';
import type { Tables } from './tables.ts';

export type Sql = Kysely<Tables>;

/** Whether the tables existed at the start. `empty file`: an SQLite file without content, for example a truncated one. */
export type DatabaseOrigin = 'existing' | 'created' | 'empty file';

/** One database, embedded or shared. Everything else in this folder uses only this interface. */
export interface Database {
  /** Whether other processes may use it concurrently. */
  readonly isShared: boolean;
  readonly origin: DatabaseOrigin;
  /** Milliseconds since the epoch by the database's clock; the clocks of processes that share it may differ widely. */
  readonly clock: Expression<number>;
  /**
   * A table expression with one row for each item, for `FROM … AS each`: a field is `each.value ->> 'name'`. The items are
   * one parameter, so the text of the statement does not depend on their number and is prepared once.
   */
  rows(items: readonly object[]): RawBuilder<unknown>;
  /** Reads committed data. @throws {DatabaseUnavailableError} */
  readonly read: Sql;
  /**
   * Runs a durable transaction; concurrent ones share one disk sync. `work` must await only its own statements.
   * @throws {DatabaseUnavailableError}
   */
  write<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** A single-statement `write`: a shared database needs one round trip instead of three. */
  step<T>(statement: (sql: Sql) => Promise<T>): Promise<T>;
  /** Takes a lock on `name` until the transaction of the enclosing `write` ends. */
  lock(sql: Sql, name: string): Promise<void>;
  /**
   * Runs `work` while no other process runs work of the same name. Within one process the caller must serialise.
   * @throws {DatabaseUnavailableError} before `work` has begun
   */
  inTurn<T>(name: string, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Location: a local file, or a server that replicas share. */
export type DatabaseLocation = { file: string } | { url: string };
