import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from './canonicalJson.ts';

/** The same value with reversed key order. */
function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reverseKeys(inner)]),
  );
}

test('default: sorts keys at every depth and adds no white space', () => {
  expect(canonicalJson({ b: '1', a: { d: 1, c: [2, { f: 1, e: 2 }] } })).toBe(
    '{"a":{"c":[2,{"e":2,"f":1}],"d":1},"b":"1"}',
  );
});

test('behavior: equal for any order of keys, and parses to the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(canonicalJson(reverseKeys(value))).toBe(canonicalJson(value));
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('behavior: keeps a key "__proto__"', () => {
  expect(canonicalJson(JSON.parse('{"__proto__":1}'))).toBe('{"__proto__":1}');
  expect(canonicalJson({})).toBe('{}');
});

test('error: refuses a value nested deeper than the limit', () => {
  expect(canonicalJson([[{ a: [] }]], 4)).toBe('[[{"a":[]}]]');
  expect(() => canonicalJson([[{ a: [] }]], 3)).toThrow(RangeError);
});
