/** Another process holds the file: two processes on one embedded database would each think they alone settle. */
export class DatabaseInUseError extends Error {
  override readonly name = 'DatabaseInUseError';
  constructor(file: string, options?: ErrorOptions) {
    super(
      `The database ${file} is in use by another process. End that one, give this one its own DATA_DIR, or let both share a PostgreSQL (DATABASE_URL).`,
      options,
    );
  }
}

/** There is no database where one is looked for. */
export class DatabaseMissingError extends Error {
  override readonly name = 'DatabaseMissingError';
  constructor(file: string) {
    super(`There is no database ${file}. Set DATA_DIR or DATABASE_URL to those of the service.`);
  }
}

/** The tables were made by a newer version: this one does not know what they mean. */
export class DatabaseTooNewError extends Error {
  override readonly name = 'DatabaseTooNewError';
  constructor(found: number, known: number) {
    super(`The database is at step ${found}, and this version knows ${known}. Start the newer version.`);
  }
}

/**
 * The database does not answer. A write that ended so may or may not have happened. The message names neither
 * host nor user.
 */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
}
