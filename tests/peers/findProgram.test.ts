import { afterEach, expect, test, vi } from 'vitest';
import { findProgram } from './findProgram.ts';

afterEach(() => vi.restoreAllMocks());

test('finds a program on the PATH', () => {
  expect(findProgram('node', 'install Node')).toMatch(/\/node$/);
});

test('prints how to install a missing program', () => {
  const print = vi.spyOn(console, 'log').mockReturnValue(undefined);
  expect(findProgram('no-such-program', 'apt-get install it')).toBeUndefined();
  expect(print.mock.calls).toEqual([
    ['Skipped the tests with no-such-program, which is not installed. To run them: apt-get install it'],
  ]);
});
