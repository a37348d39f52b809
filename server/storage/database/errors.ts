/** Another process has the file open. Two processes on one embedded database could both settle a payment. */
export class DatabaseInUseError extends Error {
  override readonly name = 'DatabaseInUseError';
  constructor(file: string, options?: ErrorOptions) {
    super(
      `The database ${file} is in use by another process. Stop that process, set another DATA_DIR, or let both use PostgreSQL (DATABASE_URL).`,
      options,
    );
  }
}

export class DatabaseMissingError extends Error {
  override readonly name = 'DatabaseMissingError';
  constructor(file: string) {
    super(`There is no database ${file}. Set DATA_DIR or DATABASE_URL to the value that the service uses.`);
  }
}

/** The copy of a database cannot be created. */
export class BackupTargetError extends Error {
  override readonly name = 'BackupTargetError';
  constructor(target: string, reason: string, options?: ErrorOptions) {
    super(`No backup was written to ${target}: ${reason}. Choose a new file in a folder that can be written.`, options);
  }
}

/** A newer version created the tables, so this version cannot interpret them. */
export class DatabaseTooNewError extends Error {
  override readonly name = 'DatabaseTooNewError';
  constructor(found: number, supported: number) {
    super(
      `The database has schema version ${found}; this version of truefill supports up to ${supported}. Start the newer version.`,
    );
  }
}

/** An earlier version created the tables, and nothing but a start of the service may upgrade them. */
export class DatabaseTooOldError extends Error {
  override readonly name = 'DatabaseTooOldError';
  constructor(found: number, supported: number) {
    super(
      `The database has schema version ${found}; this version of truefill reads version ${supported}. Use the command of the version that runs, or start this version, which upgrades the tables.`,
    );
  }
}

/** @throws {DatabaseTooNewError | DatabaseTooOldError} the tables are of another version */
export function assertVersion(found: number, supported: number): void {
  if (found > supported) throw new DatabaseTooNewError(found, supported);
  if (found < supported) throw new DatabaseTooOldError(found, supported);
}

/**
 * The database does not respond. A write that failed this way may have been committed. The message contains neither
 * host nor user.
 */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
  /** Whether the server responded, but another transaction held a lock for too long. */
  readonly isLockTimeout: boolean;
  /** SQLSTATE or system error; `no reply` without one. */
  readonly code: string;
  constructor(message: string, options: ErrorOptions & { isLockTimeout?: boolean; code?: string } = {}) {
    super(message, options);
    this.code = options.code ?? 'no reply';
    this.isLockTimeout = options.isLockTimeout === true;
  }
}
