import fc from 'fast-check';
import { expect, test } from 'vitest';
import { comparableRunnerUp, disagreementBps, type Evidence, ruleFor } from './confidence.ts';

const confidenceOf = (evidence: Evidence) => ruleFor(evidence).gives;

const good: Evidence = {
  oldBlock: false,
  routed: true,
  venueUnread: false,
  poolsMayBeMissing: false,
  hasMid: true,
  impactBps: 20,
  disagreementBps: 30,
  taxUnmeasurable: false,
  usdDisputedBps: null,
  notCoveredShare: 0,
  notCoveredUnread: false,
};

test('default: high if two routes agree within 2 %', () => {
  expect(confidenceOf(good)).toBe('high');
  expect(confidenceOf({ ...good, disagreementBps: 200 })).toBe('high');
  expect(confidenceOf({ ...good, disagreementBps: 201 })).toBe('medium');
});

test('behavior: a single route is high if its impact is below 1 %, otherwise medium', () => {
  expect(confidenceOf({ ...good, disagreementBps: null })).toBe('high');
  expect(confidenceOf({ ...good, disagreementBps: null, impactBps: 100 })).toBe('medium');
  // The fill is above the mid, so nothing confirms the mid.
  expect(confidenceOf({ ...good, disagreementBps: null, impactBps: -100 })).toBe('medium');
});

test('never high if pools may be missing', () => {
  expect(confidenceOf({ ...good, poolsMayBeMissing: true })).toBe('medium');
  expect(confidenceOf({ ...good, poolsMayBeMissing: true, disagreementBps: null })).toBe('medium');
  expect(confidenceOf({ ...good, poolsMayBeMissing: true, hasMid: false, impactBps: null })).toBe('low');
});

test('behavior: medium if pools that cannot be quoted hold more than a tenth', () => {
  expect(confidenceOf({ ...good, notCoveredShare: 0.1 })).toBe('high');
  expect(confidenceOf({ ...good, notCoveredShare: 0.101 })).toBe('medium');
  expect(confidenceOf({ ...good, notCoveredUnread: true })).toBe('medium');
});

test('behavior: low at an old block, whatever the other evidence', () => {
  expect(confidenceOf({ ...good, oldBlock: true })).toBe('low');
  expect(confidenceOf({ ...good, oldBlock: true, routed: false })).toBe('low');
});

test('behavior: low with an unread venue, no mid, a heavy impact or an unmeasured tax', () => {
  expect(confidenceOf({ ...good, venueUnread: true })).toBe('low');
  expect(confidenceOf({ ...good, hasMid: false, impactBps: null })).toBe('low');
  expect(confidenceOf({ ...good, impactBps: 1_000 })).toBe('high');
  expect(confidenceOf({ ...good, impactBps: 1_001 })).toBe('low');
  expect(confidenceOf({ ...good, taxUnmeasurable: true })).toBe('low');
  expect(confidenceOf({ ...good, usdDisputedBps: 1_000 })).toBe('high');
  expect(confidenceOf({ ...good, usdDisputedBps: 1_001 })).toBe('low');
});

test('behavior: without a route medium if every venue was read, otherwise low', () => {
  const none = { ...good, routed: false, hasMid: false, impactBps: null, disagreementBps: null };
  expect(confidenceOf(none)).toBe('medium');
  expect(confidenceOf({ ...none, venueUnread: true })).toBe('low');
  const logsUnread = ruleFor({ ...none, poolsMayBeMissing: true });
  expect(logsUnread).toMatchObject({ gives: 'low', when: "no route, and the factories' logs could not be read" });
});

test('behavior: worse evidence never raises the confidence', () => {
  const order = ['low', 'medium', 'high'];
  const evidence = fc.record({
    oldBlock: fc.boolean(),
    routed: fc.constant(true),
    venueUnread: fc.boolean(),
    poolsMayBeMissing: fc.boolean(),
    hasMid: fc.constant(true),
    impactBps: fc.integer({ min: -2_000, max: 2_000 }),
    disagreementBps: fc.option(fc.nat(500)),
    taxUnmeasurable: fc.boolean(),
    usdDisputedBps: fc.constant(null),
    notCoveredShare: fc.double({ min: 0, max: 1, noNaN: true }),
    notCoveredUnread: fc.boolean(),
  });
  fc.assert(
    fc.property(evidence, fc.nat(500), (known, more) => {
      const worse: Evidence[] = [
        { ...known, oldBlock: true },
        { ...known, venueUnread: true },
        { ...known, hasMid: false, impactBps: null },
        { ...known, poolsMayBeMissing: true },
        // Farther from the mid on either side: a fill far above it shows that the mid is wrong.
        { ...known, impactBps: known.impactBps + (known.impactBps < 0 ? -more : more) },
        { ...known, taxUnmeasurable: true },
        { ...known, usdDisputedBps: more * 10 },
        { ...known, notCoveredShare: known.notCoveredShare + more },
        { ...known, notCoveredUnread: true },
        { ...known, disagreementBps: known.disagreementBps === null ? null : known.disagreementBps + more },
      ];
      for (const each of worse) {
        expect(order.indexOf(confidenceOf(each))).toBeLessThanOrEqual(order.indexOf(confidenceOf(known)));
      }
    }),
  );
});

test('behavior: rounds a disagreement up, so that just over 2 % is not 2 %', () => {
  expect(disagreementBps(1_000_000n, 1_000_000n)).toBe(0);
  expect(disagreementBps(1_000_000n, 980_000n)).toBe(200);
  expect(disagreementBps(1_000_000n, 979_999n)).toBe(201);
});

test('ignores a runner-up that pays less than half', () => {
  const best = { amountOut: 100n };
  expect(comparableRunnerUp(best, undefined)).toBe(undefined);
  expect(comparableRunnerUp(best, { amountOut: 49n })).toBe(undefined);
  expect(comparableRunnerUp(best, { amountOut: 50n })).toBe(50n);
});
