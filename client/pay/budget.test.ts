import { expect, test } from 'vitest';
import { Budget } from './budget.ts';

test('error: states the limit of a call, and the rest of the total limit', () => {
  const budget = new Budget({ perCallUsd: 1, totalUsd: 1.5 });
  expect(() => budget.reserve(2_000_000)).toThrow('The call costs 2 USD, but spendLimit.perCallUsd is 1 USD.');
  budget.reserve(1_000_000);
  expect(() => budget.reserve(750_000)).toThrow('costs 0.75 USD, but only 0.5 USD of spendLimit.totalUsd is left.');
});
