import { toUSVString } from 'node:util';

/**
 * Rows as one JSON parameter. Half a surrogate pair becomes U+FFFD, as it does in a parameter of its own: PostgreSQL refuses
 * it in JSON, and libsql cannot read it back.
 */
export const toJsonRows = (items: readonly unknown[]): string =>
  JSON.stringify(items, (_, value: unknown) => (typeof value === 'string' ? toUSVString(value) : value));
