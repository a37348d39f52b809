import { expect, test } from 'vitest';
import { confidenceOf, isSaleBlocked } from './confidence.ts';

const facts = {
  verdict: 'clear',
  axesReporting: 5,
  axesExpected: 5,
  conclusive: true,
  stale: false,
  oldBlock: false,
  saleBlocked: false,
} as const;

test('returns high on clear if all five axes report and the result is conclusive', () => {
  expect(confidenceOf(facts)).toBe('high');
});

test('returns medium if one axis or the conclusion is missing, and low if both are or more axes are', () => {
  expect(confidenceOf({ ...facts, conclusive: false })).toBe('medium');
  expect(confidenceOf({ ...facts, axesReporting: 4 })).toBe('medium');
  expect(confidenceOf({ ...facts, axesReporting: 4, conclusive: false })).toBe('low');
  for (const axesReporting of [0, 1, 2, 3]) expect(confidenceOf({ ...facts, axesReporting })).toBe('low');
});

test('returns low for a stale holder value, an old block or a blocked sale', () => {
  expect(confidenceOf({ ...facts, stale: true })).toBe('low');
  expect(confidenceOf({ ...facts, oldBlock: true })).toBe('low');
  expect(confidenceOf({ ...facts, saleBlocked: true })).toBe('low');
});

test('returns high on avoid, whatever else is missing', () => {
  expect(confidenceOf({ ...facts, verdict: 'avoid', axesReporting: 1, conclusive: false, stale: true })).toBe('high');
});

test.each([
  ['tradable', null, false],
  ['tradable', 0.95, false],
  ['tradable', 0.951, true],
  ['sale-blocked', null, true],
  ['sale-blocked', 0, true],
  ['unknown', null, false],
])('outcome %s with a sale tax of %s: sale blocked is %s', (outcome, sellTax, blocked) => {
  expect(isSaleBlocked({ outcome, sellTax })).toBe(blocked);
});
