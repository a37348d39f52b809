import { expect, test } from 'vitest';
import { addFailedGas, toGasSpent } from './gasSpent.ts';

test('default: units and millionths of a dollar; the fees of failed transactions are added', () => {
  const gas = toGasSpent(81_000n, 0.0021, 'not_read');
  expect(gas).toEqual({ used: 81_000, microUsd: 2_100 });
  expect(addFailedGas(gas, 0.001)).toEqual({ used: 81_000, microUsd: 3_100 });
});

test('error: what was not read is unknown, never zero', () => {
  expect(toGasSpent(undefined, undefined, 'no_price')).toEqual({ unknown: 'no_price' });
  expect(addFailedGas({ used: 1, microUsd: 2 }, undefined)).toEqual({ used: 1, microUsd: 2, unknown: 'no_price' });
  expect(addFailedGas(undefined, 0.001)).toEqual({ microUsd: 1_000 });
});

test('security: values that the database cannot store are unknown', () => {
  expect(toGasSpent(2n ** 200n, 1e200, 'not_read')).toEqual({ unknown: 'not_read' });
  expect(toGasSpent(21_000n, Number.NaN, 'no_price')).toEqual({ used: 21_000, unknown: 'no_price' });
  expect(addFailedGas(undefined, Number.POSITIVE_INFINITY)).toEqual({ unknown: 'no_price' });
});
