import { expect, test } from 'vitest';
import type { Moment, Scenario, ScenarioResult, Step, StepResult } from './simulationTypes.ts';
import { waitsNeeded } from './waiting.ts';

const sale = (at: Moment): Step => ({ action: 'sell', at, account: 'trader', bps: 5_000 });
const sold = (taxPercent: bigint): StepResult => ({
  action: 'sell',
  ok: true,
  sent: 1_000n,
  arrived: 1_000n - 10n * taxPercent,
  quoted: 1n,
  received: 1n,
});
const refused: StepResult = {
  action: 'sell',
  ok: false,
  refusal: { stage: 'pull-reverted', text: null, sent: 0n, arrived: 0n },
};

type Sales = Partial<Record<Moment, StepResult>>;

const ran = (name: string, waits: Scenario['waits'], sales: Sales): ScenarioResult => ({
  status: 'ran',
  name,
  waits,
  steps: Object.entries(sales).map(([at, result]) => ({ step: sale(at as Moment), result })),
});

/** What the others need, after the small trade waited and a larger one did not. */
const needed = (small: Sales, size: Sales, waits: Scenario['waits'] = 'twice') =>
  waitsNeeded([ran('small', waits, small), ran('size', 'never', size)]);

test('no other trade waits if every sale has the same result', () => {
  expect(needed({ next: sold(5n), later: sold(5n), day: sold(5n) }, { later: sold(5n) })).toBe('never');
  expect(needed({ next: refused, later: refused, day: refused }, { later: refused })).toBe('never');
});

test('the others wait for the later sale if a sale in the next block, or of another trade, has another result', () => {
  expect(needed({ next: refused, later: sold(0n), day: sold(0n) }, { later: refused })).toBe('once');
  expect(needed({ next: sold(0n), later: refused, day: refused }, { later: sold(0n) })).toBe('once');
  expect(needed({ next: sold(2n), later: sold(2n), day: sold(2n) }, { later: sold(25n) })).toBe('once');
});

test('the others also wait for the sale a day later if it differs from the one before', () => {
  expect(needed({ next: refused, later: refused, day: sold(0n) }, { later: refused })).toBe('twice');
  expect(needed({ next: sold(25n), later: sold(25n), day: sold(2n) }, { later: sold(25n) })).toBe('twice');
});

test('nothing is concluded from a small trade that did not wait', () => {
  expect(needed({ next: refused, later: sold(0n) }, { later: refused }, 'never')).toBe('never');
});
