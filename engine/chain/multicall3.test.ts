import { decodeFunctionData, encodeFunctionResult, getAddress, type Hex, multicall3Abi } from 'viem';
import { expect, test } from 'vitest';
import { fromAggregateReply, multicall3, toAggregateCall } from './multicall3.ts';
import { decodeWords, inParts } from './words.ts';

const results = [
  { success: true, returnData: '0x07' },
  { success: false, returnData: '0x' },
] as const;
const answer = encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result: results });
const largest = 'f'.repeat(64);

test('the reads are one call, in which each may fail', () => {
  const reads = [
    { to: `0x${'a'.repeat(40)}`, data: '0x0102' },
    { to: `0x${'b'.repeat(40)}`, data: '0x' },
  ] as const;
  const { method, params } = toAggregateCall(reads, '0x5208', '0x10');
  const [{ data, ...call }, ...block] = params as [{ to: Hex; data: Hex; gas: Hex }, Hex];
  expect({ method, call, block }).toEqual({
    ...{ method: 'eth_call', block: ['0x10'] },
    call: { to: multicall3, gas: '0x5208' },
  });
  const sent = reads.map(({ to, data: callData }) => ({ target: getAddress(to), allowFailure: true, callData }));
  expect(decodeFunctionData({ abi: multicall3Abi, data })).toEqual({ functionName: 'aggregate3', args: [sent] });
});

test('decodes the result of each read', () => {
  expect(fromAggregateReply({ result: answer })).toEqual(results);
});

test.each<[string, unknown]>([
  ['no reply', undefined],
  ['no text', 7],
  ['no hex', '0x0g'],
  ['no data', '0x'],
  ['half of the data', answer.slice(0, 130)],
  ['an offset beyond the data', `0x${largest}${answer.slice(66)}`],
  ['the largest length', `${answer.slice(0, 66)}${largest}${answer.slice(130)}`],
])('%s is no result', (_, result) => {
  expect(fromAggregateReply({ result })).toBeUndefined();
});

test('an error of the node is no result', () => {
  expect(fromAggregateReply({ error: { code: -32000, message: 'out of gas' } })).toBeUndefined();
  expect(fromAggregateReply(undefined)).toBeUndefined();
});

test('each word of an answer may have any value', () => {
  const words = decodeWords(answer as Hex);
  for (const [at] of words.entries()) {
    for (const word of ['0'.repeat(64), '1'.padStart(64, '0'), largest, `${'0'.repeat(48)}${'f'.repeat(16)}`]) {
      const changed = `${answer.slice(0, 2 + 64 * at)}${word}${answer.slice(66 + 64 * at)}`;
      expect(() => fromAggregateReply({ result: changed })).not.toThrow();
    }
  }
});

test.each([
  [[], []],
  [[1], [[1]]],
  [[1, 2], [[1, 2]]],
  [
    [1, 2, 3],
    [[1, 2], [3]],
  ],
])('groups of two of %j are %j', (items, parts) => {
  expect(inParts(items, 2)).toEqual(parts);
});
