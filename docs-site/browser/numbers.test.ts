import { expect, test } from 'vitest';
import { toMoney } from './numbers.ts';

test.each([
  [0, '$0.00'],
  [0.000123, '$0.00012'],
  [0.0032, '$0.0032'],
  [0.01, '$0.01'],
  [4500.184, '$4,500.18'],
  [2_500_000, '$2.50M'],
  [1e18, '$1,000,000.00T'],
])('default: %d USD reads %s', (value, text) => {
  expect(toMoney(value)).toBe(text);
});
