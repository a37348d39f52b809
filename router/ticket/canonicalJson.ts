/**
 * The canonical text of a JSON value: keys sorted at every depth, no white space. Equivalent values have the same text,
 * so it identifies the paid input and the payment.
 *
 * @param depthLimit maximum nesting depth, for values that no schema has validated
 * @throws {RangeError} the value is nested deeper than `depthLimit`
 * @example canonicalJson({ b: '1', a: { d: 1, c: 2 } }) // '{"a":{"c":2,"d":1},"b":"1"}'
 */
export function canonicalJson(value: unknown, depthLimit = Number.POSITIVE_INFINITY): string {
  return JSON.stringify(sortKeys(value, depthLimit)) ?? 'null';
}

function sortKeys(value: unknown, depthLeft: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depthLeft === 0) throw new RangeError('The value is nested too deeply.');
  if (Array.isArray(value)) return value.map((part) => sortKeys(part, depthLeft - 1));
  const names = Object.keys(value).sort();
  const sortOne = (name: string) => sortKeys((value as Record<string, unknown>)[name], depthLeft - 1);
  // Assigning "__proto__" would set the prototype; fromEntries defines an own property.
  if (names.includes('__proto__')) return Object.fromEntries(names.map((name) => [name, sortOne(name)]));
  const sorted: Record<string, unknown> = {};
  for (const name of names) sorted[name] = sortOne(name);
  return sorted;
}
