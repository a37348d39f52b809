/**
 * The canonical text of a JSON value: keys sorted at every depth, no white space. Equivalent bodies have the same text,
 * so it identifies the paid input.
 *
 * @example canonicalJson({ b: '1', a: { d: 1, c: 2 } }) // '{"a":{"c":2,"d":1},"b":"1"}'
 */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) => (isPlainObject(inner) ? withSortedKeys(inner) : inner)) ?? 'null'
  );
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withSortedKeys(value: Record<string, unknown>): Record<string, unknown> {
  // fromEntries defines own properties: a key "__proto__" stays a key.
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
