/** Another process holds the file: two processes on one embedded database could both settle a payment. */
export class DatabaseInUseError extends Error {
  override readonly name = 'DatabaseInUseError';
  constructor(file: string, options?: ErrorOptions) {
    super(
      `The database ${file} is in use by another process. End that one, give this one its own DATA_DIR, or let both share a PostgreSQL (DATABASE_URL).`,
      options,
    );
  }
}

/** The database does not exist. */
export class DatabaseMissingError extends Error {
  override readonly name = 'DatabaseMissingError';
  constructor(file: string) {
    super(`There is no database ${file}. Set DATA_DIR or DATABASE_URL to those of the service.`);
  }
}

/** A newer version created the tables, so this version cannot interpret them. */
export class DatabaseTooNewError extends Error {
  override readonly name = 'DatabaseTooNewError';
  constructor(found: number, known: number) {
    super(`The database is at step ${found}, and this version knows ${known}. Start the newer version.`);
  }
}

/**
 * The database does not respond. A write that failed this way may have been committed. The message contains neither
 * host nor user.
 */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
  /** The server responds, and another transaction held a row for too long. */
  readonly isLockTimeout: boolean;
  constructor(message: string, options: ErrorOptions & { isLockTimeout?: boolean } = {}) {
    super(message, options);
    this.isLockTimeout = options.isLockTimeout === true;
  }
}
