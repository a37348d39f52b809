import fc from 'fast-check';
import { parseUnits } from 'viem';
import { expect, test } from 'vitest';
import { parseSize, toBaseUnits } from './parseSize.ts';

test('default: mantissa and scale, without zeros at the end', () => {
  expect(parseSize('1.50')).toEqual({ mantissa: 15n, scale: 1 });
  expect(parseSize('1000')).toEqual({ mantissa: 1000n, scale: 0 });
  expect(parseSize('0.000001')).toEqual({ mantissa: 1n, scale: 6 });
});

test('behavior: what the token cannot hold is cut down, never rounded up', () => {
  expect(toBaseUnits(parseSize('1.2345679'), 6)).toEqual({ amount: 1_234_567n, cut: true });
  expect(toBaseUnits(parseSize('0.9999999'), 0)).toEqual({ amount: 0n, cut: true });
});

test('behavior: within the decimals it is exactly what viem parses', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 30n), fc.nat(999_999), (whole, fraction) => {
      const text = `${whole}.${String(fraction).padStart(6, '0')}`;
      return toBaseUnits(parseSize(text), 18).amount === parseUnits(text, 18);
    }),
  );
});
