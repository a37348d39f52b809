import { expect, test } from 'vitest';
import { toFigure, toMoney, toRounded } from './numbers.ts';

test.each([
  [0, '$0.00'],
  [0.000123, '$0.00012'],
  [0.0032, '$0.0032'],
  [0.01, '$0.01'],
  [4500.184, '$4,500.18'],
  [2_500_000, '$2.50M'],
  [1e18, '$1E18'],
])('default: %d USD reads %s', (value, text) => {
  expect(toMoney(value)).toBe(text);
});

test.each([
  [0, '0'],
  [2997.3774321, '2,997.377'],
  [0.0000012, '0.0000012'],
  [1e-18, '1E-18'],
  [1.234e77, '1.23E77'],
])('behavior: %d reads %s, also if it has many digits', (value, text) => {
  expect(toFigure(value)).toBe(text);
});

test('behavior: a rounded number with many digits is a power of ten', () => {
  expect(toRounded(-1e28)).toBe('-1E28');
  expect(toRounded(-0.001)).toBe('0');
});
