import { toFunctionSelector } from 'viem';
import { expect, test } from 'vitest';
import { nameOfFunction, signatures } from './signatures.ts';

test('default: names a function of a group and an owner function of no group', () => {
  expect(nameOfFunction(toFunctionSelector('function setBots(address[])'))).toBe('setBots(address[])');
  expect(nameOfFunction('0x8f70ccf7')).toBe('setTrading(bool)');
});

test('behavior: null for a selector that no list contains', () => {
  expect(nameOfFunction('0x565d1f70')).toBeNull();
});

test('behavior: no signature is listed twice or in two groups', () => {
  const all = Object.values(signatures).flat();
  expect(new Set(all).size).toBe(all.length);
});
