import { toUSVString } from 'node:util';

/**
 * Encodes rows as one JSON parameter. A lone surrogate becomes U+FFFD, as in a text parameter: PostgreSQL rejects it in
 * JSON, and libsql cannot read it back.
 */
export const toJsonRows = (items: readonly unknown[]): string =>
  JSON.stringify(items, (_, value: unknown) => (typeof value === 'string' ? toUSVString(value) : value));
