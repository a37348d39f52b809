import { expect, test } from 'vitest';
import { confidenceOf } from './confidence.ts';

const facts = {
  verdict: 'clear',
  axesReporting: 5,
  axesExpected: 5,
  conclusive: true,
  stale: false,
  oldBlock: false,
  saleBlocked: false,
} as const;

test('default: five axes and a conclusion are high', () => {
  expect(confidenceOf(facts)).toBe('high');
});

test('behavior: one thing missing is medium, two are low', () => {
  expect(confidenceOf({ ...facts, conclusive: false })).toBe('medium');
  expect(confidenceOf({ ...facts, axesReporting: 4 })).toBe('medium');
  expect(confidenceOf({ ...facts, axesReporting: 4, conclusive: false })).toBe('low');
  for (const axesReporting of [0, 1, 2, 3]) expect(confidenceOf({ ...facts, axesReporting })).toBe('low');
});

test('behavior: a stale holder value or a blocked sale is low', () => {
  expect(confidenceOf({ ...facts, stale: true })).toBe('low');
  expect(confidenceOf({ ...facts, oldBlock: true })).toBe('low');
  expect(confidenceOf({ ...facts, saleBlocked: true })).toBe('low');
});

test('behavior: on avoid it is confidence in the trigger', () => {
  expect(confidenceOf({ ...facts, verdict: 'avoid', axesReporting: 1, conclusive: false, stale: true })).toBe('high');
});
