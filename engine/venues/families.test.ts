import { expect, test } from 'vitest';
import { families, familyNames, familyOfKind } from './families.ts';
import { kinds } from './kinds.ts';

test('each kind of candidate pool belongs to one family', () => {
  for (const kind of Object.values(kinds)) {
    expect(families[familyOfKind(kind)].kinds).toContain(kind);
    expect(familyNames.filter((name) => families[name].kinds.includes(kind))).toHaveLength(1);
  }
});

test('throws for a kind of no family', () => {
  expect(() => familyOfKind(99)).toThrow('No family has candidate pools of kind 99.');
});
