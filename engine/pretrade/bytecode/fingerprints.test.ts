import { expect, test } from 'vitest';
import type { CodeFacts } from './codeMemory.ts';
import { groupsOf } from './fingerprints.ts';
import { groupOfFunction } from './signatures.ts';

const codeOf = (selectors: string[] | undefined) =>
  ({ functions: selectors?.map((selector) => ({ selector, args: '', writes: true })) }) as unknown as CodeFacts;

test('code without a public function has no groups, like code that was not read', () => {
  expect(groupsOf(undefined)).toBeUndefined();
  expect(groupsOf(codeOf(undefined))).toBeUndefined();
  expect(groupsOf(codeOf([]))).toBeUndefined();
  expect(groupsOf(codeOf(['0xa9059cbb']))).toEqual(new Set());
  expect(groupOfFunction('0x8456cb59')).toBe('pause');
  expect(groupsOf(codeOf(['0x8456cb59']))).toEqual(new Set(['pause']));
});
