import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPace } from './pace.ts';
import type { RpcBudget } from './rpcEndpoint.ts';
import { createWorkload } from './workload.ts';

beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => vi.useRealTimers());

const deadlineMs = 8_000;
const workloadWith = (budget?: RpcBudget) => {
  const pace = createPace(Date.now, budget);
  return { pace, workload: createWorkload(pace, Date.now, deadlineMs) };
};
const units = (perSecond: number) => ({ perSecond, of: 'units' }) as const;

test('without a budget every answer is admitted', () => {
  const { workload } = workloadWith();
  for (let count = 0; count < 100; count += 1) {
    workload.admit('check');
    expect(workload.untilAdmitted('check')).toBe(0);
  }
  expect(createWorkload(undefined, Date.now, deadlineMs).untilAdmitted('check')).toBe(0);
});

test('a pause of the endpoint counts above three quarters of the deadline', () => {
  const { pace, workload } = workloadWith();
  pace.limited(6_000);
  expect(workload.untilAdmitted('quote')).toBe(0);
  pace.limited(6_500);
  expect(workload.untilAdmitted('quote')).toBe(500);
  vi.advanceTimersByTime(500);
  expect(workload.untilAdmitted('quote')).toBe(0);
});

test('an answer is admitted if its units and those of the others fit into three quarters of the deadline', () => {
  const { workload } = workloadWith(units(400));
  // A first check takes 1,200 units, a quote 200: 3 s and 0.5 s of 6 s.
  workload.admit('check');
  expect([workload.untilAdmitted('check'), workload.untilAdmitted('quote')]).toEqual([0, 0]);
  workload.admit('check');
  expect([workload.untilAdmitted('check'), workload.untilAdmitted('quote')]).toEqual([3_000, 500]);
});

test('the longer of the pause and the budget counts', () => {
  const { pace, workload } = workloadWith(units(400));
  workload.admit('check');
  workload.admit('check');
  pace.limited(7_000);
  expect(workload.untilAdmitted('quote')).toBe(1_000);
});

test('a budget of calls counts 26 units for each', () => {
  const { workload } = workloadWith({ perSecond: 10, of: 'calls' });
  workload.admit('check');
  workload.admit('quote');
  expect(workload.untilAdmitted('quote')).toBeCloseTo((1_600 * 1_000) / 260 - 6_000, 6);
});

test('an answer that a configured budget never allows is refused for a minute, one that a learnt one does not is admitted', () => {
  expect(workloadWith(units(199)).workload.untilAdmitted('check')).toBe(60_000);
  expect(workloadWith(units(200)).workload.untilAdmitted('check')).toBe(0);
  const { pace, workload } = workloadWith();
  pace.accepted(150);
  pace.limited(0);
  expect(pace.budget()).toMatchObject({ perSecond: 127.5, isLearnt: true });
  expect(workload.untilAdmitted('check')).toBe(0);
  workload.admit('check');
  expect(workload.untilAdmitted('check')).toBeGreaterThan(0);
});

test('an admitted answer that has not begun within 20 s frees its part; one that has begun does not', () => {
  const { workload } = workloadWith(units(400));
  workload.admit('check');
  workload.admit('check');
  workload.begin('check');
  vi.advanceTimersByTime(20_000);
  expect(workload.untilAdmitted('check')).toBe(3_000);
  vi.advanceTimersByTime(1);
  expect(workload.untilAdmitted('check')).toBe(0);
  workload.admit('check');
  expect(workload.untilAdmitted('check')).toBe(3_000);
});

test('an answer begins the admitted one of its product, or counts as a further one', () => {
  const { workload } = workloadWith(units(400));
  workload.admit('check');
  workload.begin('check');
  expect(workload.untilAdmitted('check')).toBe(0);
  workload.begin('quote');
  expect(workload.untilAdmitted('check')).toBe(500);
  workload.begin('check');
  expect(workload.untilAdmitted('check')).toBe(3_500);
});

test('the units that an answer used no longer count, and its end frees the rest', () => {
  const { workload } = workloadWith(units(400));
  workload.admit('check');
  const job = workload.begin('check');
  workload.admit('check');
  job.spent(400);
  expect(workload.untilAdmitted('check')).toBe(2_000);
  job.spent(2_000);
  expect(workload.untilAdmitted('check')).toBe(0);
  const other = workload.begin('check');
  workload.admit('quote');
  other.spent(1_200);
  other.end();
  job.end();
  // The dearer answer counts at once: 2,400 units, 6 s.
  expect(workload.untilAdmitted('check')).toBeGreaterThan(0);
});

test('a dearer answer counts at once for the next ones, a cheaper one by a tenth', () => {
  const { workload } = workloadWith(units(100));
  const expectedOf = (product: 'quote' | 'check') => {
    const job = workload.begin(product);
    const { left } = { left: workload.untilAdmitted(product) };
    job.end();
    return left;
  };
  expect(expectedOf('quote')).toBe(0);
  const dear = workload.begin('quote');
  dear.spent(500);
  dear.end();
  workload.admit('quote');
  // 5 s for the one that was admitted and 5 s for the next one.
  expect(workload.untilAdmitted('quote')).toBe(4_000);
  const cheap = workload.begin('quote');
  cheap.spent(300);
  cheap.end();
  workload.admit('quote');
  expect(workload.untilAdmitted('quote')).toBeCloseTo(2 * 4_800 - 6_000, 6);
});
