import { toFunctionSelector } from 'viem';
import { expect, test } from 'vitest';
import { findNamedFunction, nameOfFunction, ownerFunctions } from './signatures.ts';

test('default: names a function of a group and an owner function of no group', () => {
  expect(nameOfFunction(toFunctionSelector('function setBots(address[])'))).toBe('setBots(address[])');
  expect(nameOfFunction('0x8f70ccf7')).toBe('setTrading(bool)');
});

test('behavior: null for a selector that no list contains', () => {
  expect(nameOfFunction('0x565d1f70')).toBeNull();
});

test('behavior: no signature is listed twice or in a group', () => {
  expect(new Set(ownerFunctions).size).toBe(ownerFunctions.length);
  const grouped = ownerFunctions.filter((name) => findNamedFunction(toFunctionSelector(`function ${name}`)));
  expect(grouped).toEqual([]);
});
