import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPace, unitsOf } from './pace.ts';

beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => vi.useRealTimers());

const signal = new AbortController().signal;
const callsOf = (count: number, method = 'eth_call') => Array.from({ length: count }, () => ({ method, params: [] }));
const units = { perSecond: 1_000, of: 'units' } as const;

test('counts the units of each method, 20 for others', () => {
  const methods = ['eth_chainId', 'eth_blockNumber', 'eth_call', 'eth_getLogs', 'eth_simulateV1', 'eth_getCode'];
  expect(methods.map((method) => unitsOf(callsOf(1, method)))).toEqual([0, 10, 26, 60, 40, 20]);
  expect(unitsOf([...callsOf(2), ...callsOf(1, 'eth_getLogs')])).toBe(112);
});

test('a budget of calls counts calls, whatever their method', () => {
  const pace = createPace(Date.now, { perSecond: 10, of: 'calls' });
  expect(pace.weigh(callsOf(3, 'eth_getLogs'))).toBe(3);
  expect(createPace(Date.now).weigh(callsOf(3))).toBe(78);
});

test.each([
  ['the part of a second’s budget for reads', 400, 50, 12],
  ['at least one', 10, 50, 1],
  ['all if they fit', 10_000, 50, 50],
  ['exactly that part', 65, 2, 2],
])('one request has %s', (_, perSecond, count, expected) => {
  expect(createPace(Date.now, { perSecond, of: 'units' }).fitting(callsOf(count))).toBe(expected);
});

test('without a known limit all calls fit and none waits', () => {
  const pace = createPace(Date.now);
  expect(pace.fitting(callsOf(500))).toBe(500);
  pace.spend(1e9);
  expect([pace.waitMs(1e9), pace.heldMs(), pace.budget()]).toEqual([0, 0, undefined]);
});

test('four fifths of a second’s budget may be used at once, the rest waits until it is refilled', () => {
  const pace = createPace(Date.now, units);
  expect(pace.waitMs(800)).toBe(0);
  pace.spend(500);
  expect(pace.waitMs(300)).toBe(0);
  expect(pace.waitMs(400)).toBe(100);
  vi.advanceTimersByTime(100);
  expect(pace.waitMs(400)).toBe(0);
  // More units than that part wait until all of it is free.
  expect(pace.waitMs(5_000)).toBe(400);
  vi.advanceTimersByTime(60_000);
  expect(pace.waitMs(800)).toBe(0);
});

test('turns wait in the order of their calls, and an aborted one returns its units', async () => {
  const pace = createPace(Date.now, units);
  pace.spend(800);
  const ended: string[] = [];
  const aborting = new AbortController();
  const first = pace.turn(200, signal).then(() => ended.push('first'));
  const second = pace.turn(200, aborting.signal).catch(() => ended.push('aborted'));
  const third = pace.turn(200, signal).then(() => ended.push('third'));
  await vi.advanceTimersByTimeAsync(199);
  expect(ended).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(ended).toEqual(['first']);
  expect(pace.waitMs(200)).toBe(600);
  aborting.abort();
  await second;
  expect(pace.waitMs(200)).toBe(400);
  await vi.advanceTimersByTimeAsync(400);
  await Promise.all([first, third]);
  expect(ended).toEqual(['first', 'aborted', 'third']);
});

test('a refusal holds all calls for as long as the endpoint asks, or 250 ms', async () => {
  const pace = createPace(Date.now, units);
  pace.limited(undefined);
  expect([pace.heldMs(), pace.waitMs()]).toEqual([250, 250]);
  pace.limited(2_000);
  pace.limited(100);
  expect(pace.heldMs()).toBe(2_000);
  vi.advanceTimersByTime(2_000);
  expect([pace.heldMs(), pace.waitMs()]).toEqual([0, 0]);
});

test('a turn that waits also waits for a refusal in the meantime', async () => {
  const pace = createPace(Date.now, units);
  pace.spend(1_000);
  let isDone = false;
  const turn = pace.turn(100, signal).then(() => {
    isDone = true;
  });
  await vi.advanceTimersByTimeAsync(200);
  pace.limited(1_000);
  await vi.advanceTimersByTimeAsync(999);
  expect(isDone).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await turn;
});

/** A pace after an endpoint accepted so many units in the last second, and then refused calls. */
function refusedAfter(accepted: number, configured?: number) {
  const pace = createPace(Date.now, configured === undefined ? undefined : { perSecond: configured, of: 'units' });
  pace.accepted(accepted);
  pace.limited(undefined);
  return pace;
}

test('a budget is learnt from a refusal at the usual rate: 85 % of the accepted units', () => {
  expect(refusedAfter(1_000).budget()).toEqual({ perSecond: 850, of: 'units', isLearnt: true });
  expect(refusedAfter(1_000, 600).budget()).toEqual({ perSecond: 600, of: 'units', isLearnt: true });
  expect(createPace(Date.now, units).budget()).toEqual({ ...units, isLearnt: false });
});

test('a learnt budget is at least 60 % of the most that was accepted, and 100', () => {
  const pace = refusedAfter(1_000);
  for (let count = 0; count < 5; count += 1) {
    vi.advanceTimersByTime(1_000);
    pace.accepted(500);
    pace.limited(undefined);
  }
  expect(pace.budget()?.perSecond).toBe(600);
  expect(refusedAfter(100).budget()?.perSecond).toBe(100);
});

test('a refusal far below the usual rate shows no budget before the third one within ten seconds', () => {
  const pace = createPace(Date.now);
  pace.accepted(1_000);
  vi.advanceTimersByTime(1_000);
  pace.accepted(499);
  for (const expected of [undefined, undefined, true]) {
    vi.advanceTimersByTime(300);
    pace.limited(undefined);
    expect(pace.budget()?.isLearnt).toBe(expected);
  }
});

test('refusals more than ten seconds apart show no budget, nor does one of an endpoint that is hardly used', () => {
  const pace = createPace(Date.now);
  for (let count = 0; count < 4; count += 1) {
    pace.accepted(99);
    pace.limited(undefined);
    vi.advanceTimersByTime(5_000);
  }
  expect(pace.budget()).toBeUndefined();
  vi.advanceTimersByTime(10_000);
  pace.limited(undefined);
  expect(pace.budget()).toBeUndefined();
});

test('refusals during a pause are one event', () => {
  const pace = createPace(Date.now);
  for (let count = 0; count < 5; count += 1) pace.limited(1_000);
  expect(pace.budget()).toBeUndefined();
});

test('only units of the last second count as accepted lately', () => {
  const pace = createPace(Date.now);
  pace.accepted(600);
  vi.advanceTimersByTime(999);
  pace.accepted(400);
  vi.advanceTimersByTime(1);
  pace.accepted(100);
  pace.limited(undefined);
  // 1,000 units within a second are the most that was accepted.
  expect(pace.budget()?.perSecond).toBe(850);
});

test('a learnt budget grows by 1 % a second, and is forgotten after ten minutes', () => {
  const pace = refusedAfter(1_000);
  vi.advanceTimersByTime(10_000);
  expect(pace.budget()?.perSecond).toBeCloseTo(850 * 1.01 ** 10, 6);
  vi.advanceTimersByTime(590_000);
  expect(pace.budget()?.perSecond).toBeGreaterThan(850);
  vi.advanceTimersByTime(1);
  expect(pace.budget()).toBeUndefined();
});

test('a learnt budget does not exceed the configured one', () => {
  const pace = refusedAfter(1_000, 900);
  vi.advanceTimersByTime(300_000);
  expect(pace.budget()?.perSecond).toBe(900);
});
