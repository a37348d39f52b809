import { expect, test } from 'vitest';
import { readFunctions } from './readFunctions.ts';

/** Stores the argument of its only function, 0x565d1f70(uint256). */
const code = '60003560e01c63565d1f7014601057005b60043560005500';
const stored = { selector: '0x565d1f70', args: 'uint256', writes: true };

test('behavior: reads the same functions if the code contains its own instructions as a constant address', async () => {
  expect(await readFunctions(`0x${code}`)).toEqual([stored]);
  expect(await readFunctions(`0x${code}73${code.slice(0, 40)}`)).toEqual([stored]);
});

/** As before, but only the account 0x8c7b…5e3d may call the function. */
const owner = '8c7bd1f2a3e4b5c6d7e8f9a0b1c2d3e4f5a65e3d';
const owned = `60003560e01c63565d1f7014601057005b73${owner}331460305760006000fd5b60043560005500`;

test('reads the arguments of a function that rejects callers other than a constant address', async () => {
  expect(await readFunctions(`0x${owned}`)).toEqual([stored]);
});

/** 400 functions, each of which runs a loop. evmole executes the loop for each function until its own limit. */
function slowCode(loop: string): `0x${string}` {
  const count = 400;
  const end = (5 + 11 * count + 1).toString(16).padStart(4, '0');
  const dispatch = Array.from({ length: count }, (_, index) => `8063${(0x10000000 + index).toString(16)}1461${end}57`);
  return `0x5f3560e01c${dispatch.join('')}005b${loop}61${end}56`;
}

test('code on which evmole spends minutes counts as not analysed, and stops neither the process nor later code', async () => {
  let didTick = false;
  const ticker = setInterval(() => (didTick = true), 1);
  // The loop writes behind the end of the memory, which grows each time.
  const slow = readFunctions(slowCode('5f5952'));
  const after = readFunctions(`0x${code}`);
  expect(await slow).toBeUndefined();
  clearInterval(ticker);
  expect(didTick).toBe(true);
  expect(await after).toEqual([stored]);
});
