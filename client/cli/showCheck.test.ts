import { expect, test } from 'vitest';
import { catalogue } from '../../router/index.ts';
import { toCheck } from '../toCheck.ts';
import { showCheck } from './showCheck.ts';

const example = catalogue.find(({ name }) => name === 'pretradeCheck')?.exampleAnswer as Record<string, unknown>;

function rowsOf(liquidity: object, oracle: object): { pools: string | undefined; oracle: string | undefined } {
  const check = toCheck(structuredClone(example));
  Object.assign(check.risk_profile.liquidity, liquidity);
  Object.assign(check.risk_profile.oracle, oracle);
  const text = showCheck(check);
  return { pools: /^ +pools +(.*)$/m.exec(text)?.[1], oracle: /^ +oracle +(.*)$/m.exec(text)?.[1] };
}

function headlineOf(verdict: string, transferability: object): string[] {
  const check = toCheck({ ...structuredClone(example), verdict });
  Object.assign(check.risk_profile.transferability, transferability);
  return showCheck(check).split('\n').slice(0, 2);
}

test('begins with the verdict if simulated trades worked', () => {
  expect(headlineOf('clear', {})[0]).toMatch(/^CLEAR {2}/);
});

test('begins with the warning if the verdict is clear and a wallet could not sell', () => {
  const [first, second] = headlineOf('clear', { outcome: 'sale-blocked' });
  expect(first).toBe('An ordinary wallet could not sell this token.');
  expect(second).toMatch(/^CLEAR {2}/);
});

test('begins with avoid, followed by the warning', () => {
  const [first, second] = headlineOf('avoid', { sellTaxRaw: 1 });
  expect(first).toMatch(/^AVOID/);
  expect(second).toBe('An ordinary wallet loses 100 % of a sale.');
});

test.each([
  [4, 2, '4 on 2 venues'],
  [null, null, 'not measured'],
  [4, null, '4'],
])('shows %s pools on %s venues as `%s`', (poolCount, venueCount, shown) => {
  expect(rowsOf({ poolCount, venueCount }, {}).pools).toBe(shown);
});

test.each([
  [12.5, 'chainlink', '12.5 bps from chainlink'],
  [null, 'chainlink', 'not measured (feed chainlink)'],
  [null, null, 'no feed'],
])('shows a deviation of %s bps from %s as `%s`', (deviationBps, source, shown) => {
  expect(rowsOf({}, { deviationBps, source }).oracle).toBe(shown);
});

test.each([
  [9.87, '9.87 % returned'],
  [0, '0 % returned'],
  [null, 'not measured'],
  [undefined, 'not measured'],
])('shows a round trip of %s %% as `%s`', (roundTripPct, shown) => {
  const check = toCheck(structuredClone(example));
  Object.assign(check.risk_profile.transferability, { roundTripPct });
  expect(/^ +round trip +(.*)$/m.exec(showCheck(check))?.[1]).toBe(shown);
});
