import { expect, test } from 'vitest';
import { confidenceOf, type Evidence } from './confidence.ts';

const good: Evidence = {
  routed: true,
  venueUnread: false,
  hasMid: true,
  impactBps: 20,
  disagreementBps: 30,
  taxUnmeasurable: false,
};

test('default: two ways that agree within 2 % give high', () => {
  expect(confidenceOf(good)).toBe('high');
  expect(confidenceOf({ ...good, disagreementBps: 201 })).toBe('medium');
});

test('behavior: one deep way alone is high, a shallow one medium', () => {
  expect(confidenceOf({ ...good, disagreementBps: null })).toBe('high');
  expect(confidenceOf({ ...good, disagreementBps: null, impactBps: 100 })).toBe('medium');
});

test('behavior: an unread venue, no mid, a heavy impact, an unmeasured tax are low', () => {
  expect(confidenceOf({ ...good, venueUnread: true })).toBe('low');
  expect(confidenceOf({ ...good, hasMid: false, impactBps: null })).toBe('low');
  expect(confidenceOf({ ...good, impactBps: 1_001 })).toBe('low');
  expect(confidenceOf({ ...good, taxUnmeasurable: true })).toBe('low');
});

test('behavior: no route is medium when every venue answered, low when one was unread', () => {
  const none = { ...good, routed: false, hasMid: false, impactBps: null, disagreementBps: null };
  expect(confidenceOf(none)).toBe('medium');
  expect(confidenceOf({ ...none, venueUnread: true })).toBe('low');
});
