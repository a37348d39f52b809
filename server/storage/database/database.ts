import type { Expression, Kysely, RawBuilder } from 'kysely';
import type { Tables } from './tables.ts';

export type Sql = Kysely<Tables>;

/** One database, embedded or shared. Everything else in this folder uses only this interface. */
export interface Database {
  /** Whether other processes may use it concurrently. */
  readonly isShared: boolean;
  /** Milliseconds since the epoch by the database's clock; the clocks of processes that share it may differ widely. */
  readonly clock: Expression<number>;
  /**
   * One row for each item, for `FROM … AS each`: its fields are `each.value ->> 'name'`. The items are one parameter, so
   * the text of a statement does not depend on their number: it is compiled in microseconds and prepared once.
   */
  rows(items: readonly object[]): RawBuilder<unknown>;
  /** Reads committed data. @throws {DatabaseUnavailableError} */
  readonly read: Sql;
  /**
   * A durable transaction; concurrent ones share one disk sync. `work` awaits only its own statements.
   * @throws {DatabaseUnavailableError}
   */
  write<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** A single-statement `write`: a shared database needs one round trip instead of three. */
  step<T>(statement: (sql: Sql) => Promise<T>): Promise<T>;
  /** Within `write`: holds a lock on `name` until the transaction ends. */
  lock(sql: Sql, name: string): Promise<void>;
  /**
   * Runs `work` while no other process runs work of that name. Within one process the caller must serialise.
   * @throws {DatabaseUnavailableError} before `work` has begun
   */
  inTurn<T>(name: string, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Location: a local file, or a server that replicas share. */
export type DatabasePlace = { file: string } | { url: string };
