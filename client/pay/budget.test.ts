import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SpendLimitError } from '../errors.ts';
import { Budget, type Clock, type SpendLimit } from './budget.ts';

/** Clocks that a test sets. */
class TestClock implements Clock {
  wall = 1_000_000;
  monotonic = 0;
  wallMs = () => this.wall;
  monotonicMs = () => this.monotonic;
  pass(ms: number): void {
    this.wall += ms;
    this.monotonic += ms;
  }
}

function budgetOf(limit: SpendLimit) {
  const clock = new TestClock();
  const budget = new Budget(limit, clock);
  const pay = (signature: string, units: number, validityMs = 100_000) => {
    budget.reserve(units);
    budget.hold(signature, { units, validBeforeMs: clock.wall + validityMs, validityMs });
  };
  return { budget, clock, pay };
}

/** The validity of `pay`, and the margin for blocks whose time lags. */
const untilExpiry = 160_000;

test('error: states the limit of a call, and the rest of the total limit', () => {
  const budget = new Budget({ perCallUsd: 1, totalUsd: 1.5 });
  expect(() => budget.reserve(2_000_000)).toThrow('The call costs 2 USD, but spendLimit.perCallUsd is 1 USD.');
  budget.reserve(1_000_000);
  expect(() => budget.reserve(750_000)).toThrow('costs 0.75 USD, but only 0.5 USD of spendLimit.totalUsd is left.');
});

test('default: permits exactly the limit, 1 USD per call, and any total', () => {
  const { budget } = budgetOf({});
  for (let calls = 0; calls < 20; calls += 1) budget.reserve(1_000_000);
  expect(() => budget.reserve(1_000_001)).toThrow(SpendLimitError);
  const { budget: limited } = budgetOf({ totalUsd: 0.03 });
  limited.reserve(30_000);
  expect(() => limited.reserve(1)).toThrow(SpendLimitError);
  expect(limited.spentUsd).toBe(0.03);
});

test('default: the limit of a call includes its earlier payments', () => {
  const { budget } = budgetOf({ perCallUsd: 0.04 });
  budget.reserve(20_000, 20_000);
  expect(() => budget.reserve(20_000, 20_001)).toThrow('spendLimit.perCallUsd');
});

test('behavior: an amount that was not signed, or whose signature was discarded, does not count', () => {
  const { budget, pay } = budgetOf({ totalUsd: 0.02 });
  budget.reserve(20_000);
  budget.release(20_000);
  expect(budget.spentUsd).toBe(0);
  pay('one', 20_000);
  expect(budget.spentUsd).toBe(0.02);
  budget.discard('one');
  expect(budget.spentUsd).toBe(0);
});

test.each([
  ['the wall clock', 'monotonic'],
  ['the monotonic clock', 'wall'],
] as const)(
  'security: a payment counts until its expiry and the margin by each clock, whatever %s shows',
  (_name, exact) => {
    const { budget, clock, pay } = budgetOf({});
    pay('one', 20_000);
    budget.deny('one');
    const at = clock[exact];
    clock.pass(100 * untilExpiry);
    clock[exact] = at + untilExpiry - 1;
    expect(budget.spentUsd).toBe(0.02);
    clock[exact] += 1;
    expect(budget.spentUsd).toBe(0);
  },
);

test('error: only live payments that were denied are stated as held', () => {
  const { budget, clock, pay } = budgetOf({ totalUsd: 0.05 });
  const held = () => {
    try {
      budget.reserve(60_000);
    } catch (error) {
      return error;
    }
    throw new Error('The amount was reserved.');
  };
  pay('unknown', 20_000);
  expect(held()).toMatchObject({ limitUsd: 0.03, heldUsd: 0 });
  pay('denied', 20_000);
  budget.deny('denied');
  expect(held()).toMatchObject({ limitUsd: 0.01, heldUsd: 0.02 });
  clock.pass(untilExpiry);
  expect(held()).toMatchObject({ limitUsd: 0.03, heldUsd: 0 });
});

test('behavior: a payment that was denied counts until both clocks have passed its expiry and the margin', () => {
  const { budget, clock, pay } = budgetOf({ totalUsd: 0.02 });
  pay('one', 20_000);
  budget.deny('one');
  clock.pass(untilExpiry - 1);
  expect(budget.spentUsd).toBe(0.02);
  let refused: unknown;
  try {
    budget.reserve(20_000);
  } catch (error) {
    refused = error;
  }
  expect(refused).toMatchObject({ limitUsd: 0, heldUsd: 0.02 });
  clock.pass(1);
  expect(budget.spentUsd).toBe(0);
  budget.reserve(20_000);
});

test.each([
  ['wall', (clock: TestClock) => (clock.wall += untilExpiry)],
  ['monotonic', (clock: TestClock) => (clock.monotonic += untilExpiry)],
])('security: the %s clock alone releases nothing', (_name, change) => {
  const { budget, clock, pay } = budgetOf({});
  pay('one', 20_000);
  budget.deny('one');
  change(clock);
  expect(budget.spentUsd).toBe(0.02);
});

test('behavior: a payment without a reply counts for good', () => {
  const { budget, clock, pay } = budgetOf({ totalUsd: 0.02 });
  pay('one', 20_000);
  clock.pass(10 * untilExpiry);
  expect(budget.spentUsd).toBe(0.02);
  expect(() => budget.reserve(1)).toThrow(/only 0 USD of spendLimit.totalUsd is left\. Nothing was signed\. Raise/);
});

test('behavior: a charged payment counts once and for good, also if it is denied later or was denied before', () => {
  const { budget, clock, pay } = budgetOf({});
  pay('one', 20_000);
  pay('two', 30_000);
  budget.charge('one');
  budget.charge('one');
  budget.deny('one');
  budget.deny('two');
  budget.charge('two');
  budget.charge('of another client');
  budget.deny('of another client');
  clock.pass(untilExpiry);
  expect(budget.spentUsd).toBe(0.05);
});

test('behavior: a denied payment that is sent again counts for good, unless it has expired', () => {
  const { budget, clock, pay } = budgetOf({});
  pay('alive', 20_000);
  budget.deny('alive');
  budget.reopen('alive');
  budget.reopen('of another client');
  clock.pass(untilExpiry);
  expect(budget.spentUsd).toBe(0.02);
  pay('expired', 30_000);
  budget.deny('expired');
  clock.pass(untilExpiry);
  budget.reopen('expired');
  expect(budget.spentUsd).toBe(0.02);
  budget.charge('expired');
  expect(budget.spentUsd).toBe(0.05);
});

test('behavior: bounds its memory: it forgets payments that no longer count, then counts the oldest for good', () => {
  const { budget, clock, pay } = budgetOf({});
  for (let index = 0; index < 1_000; index += 1) pay(`denied ${index}`, 10);
  for (let index = 0; index < 1_000; index += 1) budget.deny(`denied ${index}`);
  clock.pass(untilExpiry);
  pay('one', 10);
  budget.charge('denied 0');
  expect(budget.spentUsd).toBe(0.00001);
  budget.charge('denied 1');
  expect(budget.spentUsd).toBe(0.00002);

  const { budget: full, clock: later, pay: payAgain } = budgetOf({});
  for (let index = 0; index < 1_001; index += 1) payAgain(`live ${index}`, 10);
  expect(full.spentUsd).toBe(0.01001);
  for (let index = 0; index < 1_001; index += 1) full.deny(`live ${index}`);
  later.pass(untilExpiry);
  expect(full.spentUsd).toBe(0.00001);
});

test('error: RangeError for a limit that is no amount; a limit is never rounded up', () => {
  for (const usd of [-0.01, Number.NaN])
    for (const name of ['perCallUsd', 'totalUsd'])
      expect(() => new Budget({ [name]: usd })).toThrow(
        `Invalid spendLimit.${name}: expected a number of USD, at least 0, got ${usd}. Nothing was sent.`,
      );
  expect(() => new Budget({ totalUsd: 0 }).reserve(1)).toThrow(SpendLimitError);
  expect(() => new Budget({ totalUsd: 0.0199999 }).reserve(20_000)).toThrow(SpendLimitError);
  for (const usd of [0.29, 0.57, 1.1, 4.35]) new Budget({ perCallUsd: usd }).reserve(Math.round(usd * 1_000_000));
});

test('security: whatever is replied, the live payments never exceed the limit', () => {
  const step = fc.record({
    kind: fc.constantFrom('pay', 'pay', 'deny', 'charge', 'reopen', 'pass'),
    units: fc.integer({ min: 1, max: 40_000 }),
    which: fc.nat(20),
    ms: fc.integer({ min: 0, max: 200_000 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const { budget, clock, pay } = budgetOf({ totalUsd: 0.1 });
      const signed: { units: number; until: number }[] = [];
      for (const { kind, units, which, ms } of steps) {
        const signature = String(which % Math.max(signed.length, 1));
        if (kind === 'pass') clock.pass(ms);
        else if (kind !== 'pay') budget[kind](signature);
        else {
          try {
            pay(String(signed.length), units, ms);
            signed.push({ units, until: clock.wall + ms });
          } catch (error) {
            expect(error).toBeInstanceOf(SpendLimitError);
          }
        }
        const live = signed.filter(({ until }) => until > clock.wall).reduce((sum, payment) => sum + payment.units, 0);
        expect(live).toBeLessThanOrEqual(100_000);
      }
    }),
  );
});
