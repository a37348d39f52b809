import type { Address, Hex } from 'viem';
import { expect, test } from 'vitest';
import { LensAnswerError } from '../../chain/wordReader.ts';
import { toLowerAddress } from '../../lowerAddress.ts';
import { kinds, noHooks } from '../../venues/kinds.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import { decodeExecution, toFill } from './decodeExecution.ts';
import type { ExecutionQuery } from './executionTypes.ts';

const address = (digit: string) => toLowerAddress(`0x${digit.repeat(40)}`);
const [a, b, payer, second] = [address('a'), address('b'), address('1'), address('2')];
const candidatePool = {
  family: 'uniswap-v2',
  venue: 'uniswap-v2',
  kind: kinds.v2,
  factory: address('f'),
  fee: 3000,
} as const;
const pool: PoolRef = {
  candidatePool: { ...candidatePool, tickSpacing: 0, hooks: noHooks },
  id: address('c'),
  token0: a,
  token1: b,
};
const legs = [3_333, 6_667].map((shareBps) => ({ pool, tokenIn: a, tokenOut: b, shareBps }));
const plan = { tokenIn: a, tokenOut: b, amountIn: 1_001n, legs };
const query = (secondPayer?: Address): ExecutionQuery => ({
  wrappedNative: a,
  arbSys: false,
  plans: [{ plan, payer, secondPayer }],
});

const head = [1, 1, 77, 1_000, 5, 1, 1_001, 9_999, 1_000_000, 150_000];
/** Status, end, reason, received and gas; then sold, arrived, nominal and bought of each leg. */
const filled = [1, 2, 0, 90, 120_000, 333, 333, 30, 30, 668, 668, 60, 60];
const failed = [3, 1, 0x4e487b71, 0, 50_000, 333, 333, 30, 30, 0, 0, 0, 0];
const notRun = filled.map(() => 0);
const toHex = (...words: number[][]): Hex =>
  `0x${words
    .flat()
    .map((word) => word.toString(16).padStart(64, '0'))
    .join('')}`;
const change = (words: number[], index: number, value: number) => words.with(index, value);

test('decodes a filled plan and one that failed when it was executed again', () => {
  const { executions, ...block } = decodeExecution(toHex(head, filled, failed), query(second));
  expect(block).toMatchObject({ blockNumber: 77n, timestamp: 1_000n, funded: true, gasUsed: 150_000n });
  const [execution] = executions;
  expect(execution?.run).toMatchObject({ status: 'filled', failedLeg: undefined, received: 90n, gas: 120_000n });
  expect(execution?.again).toMatchObject({ status: 'reverted', failedLeg: 1, reason: '0x4e487b71' });
  expect(execution && toFill(execution)).toMatchObject({
    amountOut: 90n,
    legs: [
      { amountIn: 333n, amountOut: 30n },
      { amountIn: 668n, amountOut: 60n },
    ],
  });
});

test('a partly executed plan is not a filled plan', () => {
  const [execution] = decodeExecution(toHex(head, change(change(filled, 0, 2), 1, 1)), query()).executions;
  expect(execution?.run).toMatchObject({ status: 'partial', failedLeg: 1 });
  expect(execution && toFill(execution)).toBeUndefined();
});

test('a plan is not filled if the receiver holds another amount than the legs paid', () => {
  const [execution] = decodeExecution(toHex(head, change(filled, 3, 91)), query()).executions;
  expect(execution?.run.status).toBe('filled');
  expect(execution && toFill(execution)).toBeUndefined();
});

test.each<[string, Hex, ExecutionQuery]>([
  ['no words', '0x', query()],
  ['a missing word', toHex(head, filled.slice(1)), query()],
  ['an extra word', toHex(head, filled, [0]), query()],
  ['another layout', toHex(change(head, 0, 2), filled), query()],
  ['another number of plans', toHex(change(head, 1, 2), filled), query()],
  ['an unknown status', toHex(head, change(filled, 0, 6)), query()],
  ['a leg that the plan does not have', toHex(head, change(failed, 1, 3)), query()],
  ['a filled plan that ended early', toHex(head, change(filled, 1, 1)), query()],
  ['a leg that sold another part', toHex(head, change(filled, 5, 334)), query()],
  ['a last leg that left a rest', toHex(head, change(filled, 9, 667)), query()],
  ['a second execution after a failed one', toHex(head, failed, filled), query(second)],
  ['no second execution after a filled one', toHex(head, filled, notRun), query(second)],
])('rejects an answer with %s', (_, words, requested) => {
  expect(() => decodeExecution(words, requested)).toThrow(LensAnswerError);
});
