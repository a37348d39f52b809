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
  tradesUnread: false,
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

test('returns low for a stale holder value, an old block, a blocked sale or trades that were not simulated', () => {
  expect(confidenceOf({ ...facts, stale: true })).toBe('low');
  expect(confidenceOf({ ...facts, oldBlock: true })).toBe('low');
  expect(confidenceOf({ ...facts, saleBlocked: true })).toBe('low');
  expect(confidenceOf({ ...facts, tradesUnread: true })).toBe('low');
});

test('returns high on avoid, whatever else is missing', () => {
  expect(confidenceOf({ ...facts, verdict: 'avoid', axesReporting: 1, conclusive: false, stale: true })).toBe('high');
});

const sameTaxes = {
  sellTaxes: { next: null, later: null, day: null },
  taxBySize: null,
  usualGasTax: null,
  laterBlockTax: null,
};

test.each([
  ['tradable', null, null, false],
  ['tradable', 0.95, true, false],
  ['tradable', 0.951, true, true],
  ['tradable', 0, false, true],
  ['sale-blocked', null, null, true],
  ['sale-blocked', 0, true, true],
  ['unknown', null, null, false],
] as const)('outcome %s, sale tax %s, sale with a larger tip %s: sale blocked is %s', (...row) => {
  const [outcome, sellTax, largerTipCanSell, blocked] = row;
  expect(isSaleBlocked({ outcome, sellTax, largerTipCanSell, ...sameTaxes })).toBe(blocked);
});

test('a small, later or ordinary sale that is taxed almost completely counts as blocked', () => {
  const untaxed = { outcome: 'tradable', sellTax: 0, largerTipCanSell: true } as const;
  const cases = [
    {},
    { sellTaxes: { ...sameTaxes.sellTaxes, day: { tax: 0.99, lost: 1n } } },
    { taxBySize: { requested: 0, small: 0.99 } },
    { usualGasTax: 0.99 },
    { laterBlockTax: 0.99 },
  ];
  expect(cases.map((taxes) => isSaleBlocked({ ...untaxed, ...sameTaxes, ...taxes }))).toEqual([
    false,
    true,
    true,
    true,
    true,
  ]);
});
