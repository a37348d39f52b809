import { expect, test } from 'vitest';
import { isOverrun, newNodeMemory } from './node.ts';

test.each([
  ['go-ethereum', 'out of gas'],
  ['go-ethereum, a limit', 'gas limit reached'],
  ['Erigon', 'execution reverted'],
  ['Nethermind', 'VM execution error.'],
  ['Nethermind, a cap', 'OutOfGas'],
  ['reth', 'EVM error: InvalidFEOpcode'],
  ['anvil', 'EVM error OutOfGas'],
  ['Besu', 'Execution reverted'],
  ['Nitro', 'invalid opcode: INVALID'],
  ['a proxy', 'transaction exceeds the gas allowance'],
  ['a proxy, an abort', 'execution aborted (timeout = 5s)'],
  ['a required amount', 'gas required exceeds allowance'],
  ['a revert by its name', 'call would revert'],
])('a failed execution of %s is recognised', (_, message) => {
  expect(isOverrun(message)).toBe(true);
});

test.each(['header not found', 'method not found', 'irreverted', 'rate limit exceeded'])('"%s" is none', (message) => {
  expect(isOverrun(message)).toBe(false);
});

test('nothing is known of a new node', () => {
  expect(newNodeMemory()).toMatchObject({ checked: false, provenBatch: 1, readMode: undefined, simulates: 'unknown' });
});
