import { type Address, decodeFunctionData, encodeAbiParameters, type Hex, parseAbi } from 'viem';
import { expect, test } from 'vitest';
import { toLowerAddress } from '../lowerAddress.ts';
import { fromBalanceReplies, type Holding, toBalanceCalls } from './readBalances.ts';
import type { RpcReply } from './rpcEndpoint.ts';

const abi = parseAbi(['function read(address[] tokens, address[] holders)']);
const addressOf = (value: number) => toLowerAddress(`0x${value.toString(16).padStart(40, '0')}`);
const holdingsOf = (count: number): Holding[] =>
  Array.from({ length: count }, (_, index) => ({ token: addressOf(1_000 + index), holder: addressOf(2_000 + index) }));
const argumentsOf = (data: Hex) => decodeFunctionData({ abi, data }).args;

/** The lens's reply: `(uint256 status, uint256 amount)[]`, as `abi.encode` writes it. */
const replyOf = (...values: readonly (readonly [bigint, bigint])[]): RpcReply => ({
  result: encodeAbiParameters([{ type: 'tuple[]', components: [{ type: 'uint256' }, { type: 'uint256' }] }], [values]),
});

test('one call reads up to 40 balances, in order, with the code of the lens', () => {
  const holdings = holdingsOf(41);
  const calls = toBalanceCalls(holdings, '0x7');
  expect(calls).toHaveLength(2);
  const read = calls.map(({ method, params }) => {
    const [call, block, override] = params as [
      { to: Address; data: Hex; gas: Hex },
      Hex,
      Record<Address, { code: Hex }>,
    ];
    expect([method, block, BigInt(call.gas)]).toEqual(['eth_call', '0x7', 14_000_000n]);
    expect(override[call.to]?.code).toMatch(/^0x[0-9a-f]{200,}$/);
    return argumentsOf(call.data);
  });
  expect(read.map(([tokens]) => tokens.length)).toEqual([40, 1]);
  expect(read.flatMap(([tokens]) => tokens.map(toLowerAddress))).toEqual(holdings.map(({ token }) => token));
  expect(read.flatMap(([, holders]) => holders.map(toLowerAddress))).toEqual(holdings.map(({ holder }) => holder));
  expect(toBalanceCalls([], 'latest')).toEqual([]);
});

test('a balance of 0 is read; a failing token is unreadable, and missing gas leaves it unread', () => {
  const reply = replyOf([2n, 0n], [1n, 7n], [0n, 7n], [2n, 2n ** 256n - 1n]);
  expect(fromBalanceReplies(holdingsOf(4), [reply])).toEqual([
    { status: 'read', amount: 0n },
    { status: 'unreadable' },
    { status: 'unread' },
    { status: 'read', amount: 2n ** 256n - 1n },
  ]);
});

test('each reply belongs to its part of the holdings', () => {
  const part = Array.from({ length: 40 }, (_, index): [bigint, bigint] => [2n, BigInt(index)]);
  const readings = fromBalanceReplies(holdingsOf(41), [replyOf(...part), replyOf([2n, 99n])]);
  expect(readings).toHaveLength(41);
  expect([readings[0], readings[39], readings[40]]).toEqual(
    [0n, 39n, 99n].map((amount) => ({ status: 'read', amount })),
  );
});

test.each<[string, RpcReply | undefined]>([
  ['no reply', undefined],
  ['an error', { error: { code: -32_000, message: 'out of gas' } }],
  ['null', { result: null }],
  ['an empty result', { result: '0x' }],
  ['another number of balances', replyOf([2n, 1n])],
])('%s leaves all balances of the call unread', (_, reply) => {
  const readings = fromBalanceReplies(holdingsOf(42), [reply, replyOf([2n, 5n], [2n, 6n])]);
  expect(readings.slice(0, 40).every(({ status }) => status === 'unread')).toBe(true);
  expect(readings.slice(40)).toEqual([5n, 6n].map((amount) => ({ status: 'read', amount })));
});

test('an answer that is cut off leaves the rest unread', () => {
  const whole = replyOf([2n, 1n], [2n, 3n]) as { result: Hex };
  expect(fromBalanceReplies(holdingsOf(2), [{ result: whole.result.slice(0, -64) }])).toEqual([
    { status: 'read', amount: 1n },
    { status: 'unread' },
  ]);
});
