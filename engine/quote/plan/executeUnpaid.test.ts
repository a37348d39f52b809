import { concat, decodeFunctionData, type Hex } from 'viem';
import { expect, test } from 'vitest';
import { unpaidLensArtifact } from '../../../contracts/artifacts/lens/UnpaidLens.ts';
import { testNode } from '../../../tests/support/engine/testNode.ts';
import {
  addressOf,
  poolOf,
  routeOver,
  testHeader,
  tokenA,
  tokenB,
  tokenC,
  wordsOf,
} from '../../../tests/support/engine/testProbe.ts';
import { createLensCaller } from '../../chain/lensCall.ts';
import { NodeRefusedError } from '../../chain/node.ts';
import type { RpcReply } from '../../chain/rpcEndpoint.ts';
import { LensAnswerError } from '../../chain/wordReader.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { kinds, noHooks } from '../../venues/kinds.ts';
import { poolStatuses } from '../../venues/poolEntry.ts';
import { decodeUnpaid, executeUnpaid } from './executeUnpaid.ts';
import type { PlanRequest } from './executionTypes.ts';

const [first, second, third] = [
  poolOf(addressOf('1'), [tokenA, tokenC], { kind: kinds.slipstream, fee: 0, tickSpacing: -100 }),
  poolOf(addressOf('2'), [tokenC, tokenB]),
  poolOf(addressOf('3')),
];
const direct: PlanRequest = { plan: routeOver([third], 100n) };
const twoLegs: PlanRequest = { plan: routeOver([first, second], 100n) };

const status = (name: (typeof poolStatuses)[number]) => BigInt(poolStatuses.indexOf(name));
/** Words of `Fill` of LensTypes.sol: a filled sale of `used`. */
const filled = (
  used: bigint,
  received: bigint,
  [nominal, between, nominalLast] = [received, received, received],
): Hex => wordsOf(status('filled'), used, nominal, between, 0n, nominalLast, received, 0n, 70_000n);
const failed = (name: (typeof poolStatuses)[number], used = 0n, reason = 0xdeadbeefn): Hex =>
  wordsOf(status(name), used, 1n, 2n, 3n, 4n, 5n, reason << 224n, 60_000n);
const answerOf = (...fills: readonly Hex[]): Hex =>
  concat([wordsOf(1n, BigInt(fills.length), 16n, 100n, BigInt(testHeader.parentHash)), ...fills]);

test('a direct route has the amounts of its sale', () => {
  const [execution] = decodeUnpaid(answerOf(filled(100n, 40n, [44n, 40n, 0n])), [direct]);
  expect(execution).toEqual({
    plan: direct.plan,
    run: {
      ...{ status: 'filled', failedLeg: undefined, reason: '0x00000000', received: 40n, gas: 70_000n },
      legs: [{ amountIn: 100n, arrived: 100n, nominal: 44n, amountOut: 40n }],
    },
    again: undefined,
    isUnpaid: true,
  });
});

test('each leg of two has its amounts: the second one sells what the first one bought', () => {
  const words = answerOf(filled(100n, 30n, [55n, 50n, 33n]), filled(100n, 50n));
  expect(decodeUnpaid(words, [twoLegs])[0]?.run.legs).toEqual([
    { amountIn: 100n, arrived: 100n, nominal: 55n, amountOut: 50n },
    { amountIn: 50n, arrived: 50n, nominal: 33n, amountOut: 30n },
  ]);
});

test.each([
  ['partial', 'partial'],
  ['empty', 'partial'],
  ['rejected', 'reverted'],
  ['unread', 'out-of-gas'],
] as const)('a sale that is %s is %s, without amounts', (name, expected) => {
  const [execution] = decodeUnpaid(answerOf(failed(name)), [
    { ...direct, again: true, plan: { ...direct.plan, amountIn: 2n ** 255n } },
  ]);
  expect(execution?.run).toEqual({
    ...{ status: expected, failedLeg: 0, reason: '0xdeadbeef', received: 0n, gas: 60_000n },
    legs: [{ amountIn: 0n, arrived: 0n, nominal: 0n, amountOut: 0n }],
  });
});

test.each([
  ['the second leg failed if the first one alone fills', filled(100n, 50n), 1],
  ['the first leg failed otherwise', failed('rejected'), 0],
])('%s', (_, alone, failedLeg) => {
  expect(decodeUnpaid(answerOf(failed('rejected'), alone), [twoLegs])[0]?.run).toMatchObject({
    failedLeg,
    status: 'reverted',
  });
});

test.each([
  ['what a sale of twice the amount pays more', filled(200n, 70n), 'filled', 30n],
  ['nothing if that sale pays no more', filled(200n, 40n), 'partial', 0n],
  ['nothing if that sale fails', failed('partial'), 'partial', 0n],
])('the second execution receives %s', (_, twice, expected, received) => {
  const [execution] = decodeUnpaid(answerOf(filled(100n, 40n), twice), [{ ...direct, again: true }]);
  expect(execution?.again).toMatchObject({ status: expected, received });
});

test('a plan that did not fill has no second execution, and each plan gets its own results', () => {
  const words = answerOf(
    failed('rejected'),
    filled(200n, 9n),
    filled(100n, 8n),
    filled(200n, 12n),
    filled(100n, 7n),
    filled(100n, 6n),
  );
  const requests = [{ ...direct, again: true }, { ...twoLegs, again: true }, direct];
  const executions = decodeUnpaid(words, requests);
  expect(executions.map(({ run, again }) => [run.status, run.received, again?.received])).toEqual([
    ['reverted', 0n, undefined],
    ['filled', 8n, 4n],
    ['filled', 6n, undefined],
  ]);
  expect(executions.map(({ plan }) => plan)).toEqual(requests.map(({ plan }) => plan));
});

test.each([
  ['no words', '0x'],
  ['another layout', answerOf(filled(100n, 40n)).replace(/1$|(?<=^0x0{63})1/, '2') as Hex],
  ['another number of sales', answerOf(filled(100n, 40n), filled(100n, 40n))],
  ['a filled sale of another amount', answerOf(filled(99n, 40n))],
  ['a filled sale that received nothing', answerOf(filled(100n, 0n))],
  ['an unknown status', answerOf(wordsOf(10n, 0n, 0n, 0n, 0n, 0n, 0n, 0n, 0n))],
  ['a missing word', answerOf(filled(100n, 40n)).slice(0, -64) as Hex],
] as const)('rejects an answer with %s', (_, words) => {
  expect(() => decodeUnpaid(words, [direct])).toThrow(LensAnswerError);
});

/** A node that returns these answers for its lens calls in order, and the sales that it received. */
function nodeWith(answers: readonly Hex[]) {
  const calls: ReturnType<typeof decodeCall>[] = [];
  const decodeCall = (data: Hex) => {
    const { functionName, args } = decodeFunctionData({ abi: unpaidLensArtifact.abi, data });
    if (functionName !== 'sell') throw new TypeError(`The call is ${functionName}.`);
    const [sales, native, arbitrum, salt] = args;
    return { sales, native, arbitrum, salt };
  };
  const node = testNode(
    {
      chain: 'base',
      send: async (sent) =>
        sent.map(({ method, params }): RpcReply => {
          if (method !== 'eth_call') return { result: testHeader };
          calls.push(decodeCall((params[0] as { data: Hex }).data));
          return { result: answers[calls.length - 1] };
        }),
    },
    { checked: true, baseFee: 1n },
  );
  return { node, calls };
}
const data = { lens: createLensCaller(), deployment: deployments.base };

test('sells each plan, twice of it if requested, and the first of two legs alone', async () => {
  const fills = [filled(100n, 8n), filled(200n, 12n), filled(100n, 7n), filled(100n, 6n)];
  const { node, calls } = nodeWith([answerOf(...fills)]);
  const { executions, funded } = await executeUnpaid(data, [{ ...twoLegs, again: true }, direct], '0x10', node);
  expect([executions.map(({ run }) => run.received), funded]).toEqual([[8n, 6n], true]);
  const [call] = calls;
  expect(call).toMatchObject({ native: expect.any(String), arbitrum: false });
  expect(call?.native.toLowerCase()).toBe(deployments.base.wrappedNative);
  expect(call?.sales.map(({ amountIn, legs }) => [amountIn, legs])).toEqual([
    ...[
      [100n, 2n],
      [200n, 2n],
      [100n, 1n],
      [100n, 1n],
    ],
  ]);
  const legOf = (kind: number, pool: Hex, spacing: bigint, fee: bigint) => ({
    ...{ kind: BigInt(kind), pool, spacing, fee, hooks: noHooks, limit: 0n },
  });
  expect(call?.sales[0]).toMatchObject({
    first: {
      ...legOf(kinds.slipstream, addressOf('1'), -100n, 0n),
      tokenIn: expect.stringMatching(/^0x(aA|Aa|aa|AA)/),
    },
    second: legOf(kinds.v3, addressOf('2'), 0n, 500n),
  });
  const [whole, , alone, last] = call?.sales ?? [];
  expect(
    [whole?.first.tokenIn, whole?.first.tokenOut, whole?.second.tokenIn, whole?.second.tokenOut].map((token) =>
      token?.toLowerCase(),
    ),
  ).toEqual([...[tokenA, tokenC, tokenC, tokenB]]);
  expect(alone?.first).toEqual(whole?.first);
  expect([alone?.second.pool, last?.second.kind]).toEqual([noHooks, 0n]);
});

test('plans with a call of their own and samples are executed in a second call of the request', async () => {
  const { node, calls } = nodeWith([answerOf(filled(100n, 1n)), answerOf(filled(100n, 2n), filled(100n, 3n))]);
  const plans = [{ ...direct, isSample: true }, direct, { ...direct, separateCall: true }];
  const { executions } = await executeUnpaid(data, plans, '0x10', node);
  expect(executions.map(({ run }) => run.received)).toEqual([1n, 2n, 3n]);
  expect(calls.map(({ sales }) => sales.length)).toEqual([1, 2]);
  expect(calls[0]?.salt).not.toBe(calls[1]?.salt);
});

test('no amount of 2^255 or more is doubled', async () => {
  const amountIn = 2n ** 255n;
  const { node, calls } = nodeWith([
    answerOf(filled(amountIn, 1n), filled(amountIn - 1n, 1n), filled(2n * amountIn - 2n, 2n)),
  ]);
  const plans = [amountIn, amountIn - 1n].map((amount) => ({
    plan: { ...direct.plan, amountIn: amount },
    again: true,
  }));
  const { executions } = await executeUnpaid(data, plans, '0x10', node);
  expect(calls[0]?.sales.map((sale) => sale.amountIn)).toEqual([amountIn, amountIn - 1n, 2n * amountIn - 2n]);
  expect(executions.map(({ again }) => again?.received)).toEqual([undefined, 1n]);
});

test('splits, three legs and weighted pools are not executed; without another plan no request is sent', async () => {
  const weighted = poolOf(`0x${'9'.repeat(64)}`, [tokenA, tokenB], { family: 'balancer-v2', kind: kinds.weighted });
  const [leg] = direct.plan.legs;
  if (!leg) throw new RangeError('No leg.');
  const half = { ...leg, shareBps: 5_000 };
  const others: PlanRequest[] = [
    { plan: routeOver([weighted], 100n) },
    { plan: routeOver([first, second, third], 100n) },
    { plan: { ...direct.plan, legs: [half, half] } },
  ];
  const none = nodeWith([]);
  expect(await executeUnpaid(data, others, '0x10', none.node)).toEqual({ executions: [], funded: true });
  expect(none.calls).toEqual([]);
  const { node, calls } = nodeWith([answerOf(filled(100n, 5n))]);
  expect((await executeUnpaid(data, [...others, direct], '0x10', node)).executions).toHaveLength(1);
  expect(calls[0]?.sales).toHaveLength(1);
});

test('a malformed answer is a refusal of the node', async () => {
  const { node } = nodeWith([answerOf(filled(99n, 5n))]);
  await expect(executeUnpaid(data, [direct], '0x10', node)).rejects.toThrow(NodeRefusedError);
});
