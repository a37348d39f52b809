import fc from 'fast-check';
import { parseUnits } from 'viem';
import { expect, test } from 'vitest';
import { parseSize, toBaseUnits } from './parseSize.ts';

test('default: returns mantissa and scale without trailing zeros', () => {
  expect(parseSize('1.50')).toEqual({ mantissa: 15n, scale: 1 });
  expect(parseSize('1.500')).toEqual({ mantissa: 15n, scale: 1 });
  expect(parseSize('1000')).toEqual({ mantissa: 1000n, scale: 0 });
  expect(parseSize('0.000001')).toEqual({ mantissa: 1n, scale: 6 });
});

test('behavior: as many digits as the token has decimals are kept', () => {
  expect(toBaseUnits(parseSize('1.23'), 2)).toEqual({ amount: 123n, cut: false });
  expect(toBaseUnits(parseSize('1.23'), 3)).toEqual({ amount: 1230n, cut: false });
});

test('behavior: excess decimals are rounded down, never up', () => {
  expect(toBaseUnits(parseSize('1.2345679'), 6)).toEqual({ amount: 1_234_567n, cut: true });
  expect(toBaseUnits(parseSize('0.9999999'), 0)).toEqual({ amount: 0n, cut: true });
});

test('behavior: equals viem parseUnits within the decimals', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 30n), fc.nat(999_999), (whole, fraction) => {
      const text = `${whole}.${String(fraction).padStart(6, '0')}`;
      return toBaseUnits(parseSize(text), 18).amount === parseUnits(text, 18);
    }),
  );
});

test('rounds down by less than one unit, and sets the flag exactly if it rounded', () => {
  const digits = fc.stringMatching(/^[0-9]{0,40}$/);
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 36n), digits, fc.nat(36), (whole, fraction, decimals) => {
      const { amount, cut } = toBaseUnits(parseSize(`${whole}.${fraction}`), decimals);
      // Both sides in units of 10^-40.
      const requested = BigInt(`${whole}${fraction.padEnd(40, '0')}`);
      const priced = amount * 10n ** BigInt(40 - decimals);
      expect(priced <= requested && requested < priced + 10n ** BigInt(40 - decimals)).toBe(true);
      expect(cut).toBe(priced !== requested);
    }),
  );
});
