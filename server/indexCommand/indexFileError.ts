/** A file of an exported pool index cannot be used, or not be written. Pools may be stored: they count only with their blocks. */
export class IndexFileError extends Error {
  override readonly name = 'IndexFileError';
  constructor(file: string, reason: string, options?: ErrorOptions) {
    super(`${file}: ${reason}. No blocks count as imported, and no file was replaced.`, options);
  }
}
