/** A file of an exported pool index cannot be used, or not be written. */
export class IndexFileError extends Error {
  override readonly name = 'IndexFileError';
  constructor(file: string, reason: string, options?: ErrorOptions) {
    super(`${file}: ${reason}. Nothing was imported or replaced.`, options);
  }
}
