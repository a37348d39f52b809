import {
  type Address,
  concatHex,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionResult,
  type Hex,
  multicall3Abi,
  numberToHex,
  parseAbiParameters,
} from 'viem';
import { expect, test } from 'vitest';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { kinds } from '../../venues/kinds.ts';
import { heldInWeighted } from './heldInWeighted.ts';
import {
  fromCreatedReply,
  fromIdReplies,
  fromTokensReplies,
  fromWeightedReplies,
  type ListedPool,
  largestOf,
  toCreatedCall,
  toDecimalsCalls,
  toIdCalls,
  toWeightedCalls,
  toWeightedRefs,
  weightedRowsOf,
} from './weightedPools.ts';

const rows = weightedRowsOf(deployments.polygon);
const vault = '0xba12222222228d8ba445958a75a0704d566bf2c8';
const createdTopic = '0x83a48fbcfc991335314e74d0496aab6a1987e992ddc85dddbcc4d6dd6ef2e9fc';
const addressOf = (number: number) => numberToHex(number, { size: 20 }) as LowerAddress;
const [token, usdc, weth] = [1, 2, 3].map(addressOf) as [LowerAddress, LowerAddress, LowerAddress];
const idOf = (pool: number): Hex => concatHex([addressOf(0x1000 + pool), numberToHex(pool, { size: 12 })]);
const word = (address: Address): Hex => numberToHex(BigInt(address), { size: 32 });
const [first, second] = rows as [(typeof rows)[number], (typeof rows)[number]];

const createdBy = (factory: Address, pool: number) => ({
  address: factory.toLowerCase(),
  topics: [createdTopic, word(addressOf(0x1000 + pool))],
  data: '0x',
  blockNumber: '0x1',
});

test('chains have the releases whose code is published; Base has none', () => {
  expect(rows.map(({ release }) => release)).toEqual(['first', 'later', 'later']);
  expect(weightedRowsOf(deployments.arbitrum)).toHaveLength(3);
  expect(weightedRowsOf(deployments.base)).toEqual([]);
});

test('the kinds keep the numbers that a stored pool index contains', () => {
  expect([kinds.v2, kinds.algebra, kinds.v4, kinds.v4Native]).toEqual([1, 4, 8, 9]);
});

test('reads the logs of the factories, and ignores logs of others', () => {
  const { params } = toCreatedCall(rows, 5n);
  expect(params).toMatchObject([{ address: rows.map(({ factory }) => factory), fromBlock: '0x5', toBlock: 'latest' }]);
  const stranger = createdBy(addressOf(77), 9);
  const odd = [null, 5, { ...createdBy(first.factory, 8), topics: [createdTopic] }, { ...stranger, blockNumber: '0x' }];
  const result = [createdBy(first.factory, 1), ...odd, stranger, createdBy(second.factory, 2)];
  const pools = fromCreatedReply(rows, { result });
  expect(pools?.map(({ address, candidatePool }) => [address, candidatePool.fee, candidatePool.kind])).toEqual([
    [addressOf(0x1001), 0, kinds.weighted],
    [addressOf(0x1002), 1, kinds.weighted],
  ]);
  expect(fromCreatedReply(rows, { error: { code: -32_005, message: 'range' } })).toBeUndefined();
});

type Result = { success: boolean; returnData: Hex };
const aggregated = (results: readonly Result[]): RpcReply => ({
  result: encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result: results }),
});
const returned = (returnData: Hex): Result => ({ success: true, returnData });
const reverted: Result = { success: false, returnData: '0x' };
const heldBy = (tokens: readonly Address[], balances: readonly bigint[]): Result =>
  returned(encodeAbiParameters(parseAbiParameters('address[], uint256[], uint256'), [tokens, balances, 1n]));
const shares = (weights: readonly bigint[]): Result =>
  returned(encodeAbiParameters(parseAbiParameters('uint256[]'), [weights]));
const readsIn = ({ params }: RpcCall) => {
  const [{ data }] = params as [{ data: Hex }];
  return decodeFunctionData({ abi: multicall3Abi, data }).args?.[0] as readonly { target: Address }[];
};
const half = 5n * 10n ** 17n;

test('reads ids and tokens of many pools in calls of 200 each', () => {
  const created = Array.from({ length: 450 }, (_, pool) => createdBy(first.factory, pool));
  const calls = toIdCalls(fromCreatedReply(rows, { result: created }) ?? []);
  expect(calls.map((call) => readsIn(call).length)).toEqual([200, 200, 50]);
  expect(fromIdReplies([aggregated([returned(idOf(1)), reverted]), aggregated([returned(idOf(2))])])).toEqual([
    idOf(1),
    undefined,
    idOf(2),
  ]);
  expect(fromTokensReplies([aggregated([heldBy([token, usdc], [1n, 2n]), reverted])])).toEqual([[token, usdc], []]);
});

test.each([
  ['an error reply', { error: { code: 3, message: 'out of gas' } }],
  ['no reply', undefined],
  ['malformed data', { result: '0x01' }],
] as const)('one call with %s leaves all pools unread', (_, reply) => {
  expect(fromIdReplies([aggregated([returned(idOf(1))]), reply])).toBeUndefined();
  expect(fromTokensReplies([reply])).toBeUndefined();
  expect(fromWeightedReplies([], [reply])).toBeUndefined();
});

const listed = (pool: number, tokens: readonly LowerAddress[], row = first): ListedPool => ({
  id: idOf(pool),
  candidatePool: fromCreatedReply(rows, { result: [createdBy(row.factory, pool)] })?.[0]
    ?.candidatePool as ListedPool['candidatePool'],
  tokens,
});

test('pools that hold most of the token come first', () => {
  const pools = [listed(1, [token, usdc]), listed(2, [token, usdc, weth], second), listed(4, [token, usdc])];
  const held = fromWeightedReplies(pools, [
    aggregated([
      ...[heldBy([token, usdc], [5n, 7n]), shares([half, half])],
      ...[heldBy([token, usdc, weth], [9n, 7n, 8n]), shares([half, half / 2n, half / 2n])],
      // A malformed reply.
      ...[returned(numberToHex(2n ** 255n, { size: 32 })), shares([half])],
    ]),
  ]);
  const read = largestOf(token, held ?? []);
  expect(read.map(({ id }) => id)).toEqual([idOf(2), idOf(1)]);
  expect(largestOf(weth, held ?? []).map(({ id }) => id)).toEqual([idOf(2)]);
  const decimals = [18n, 6n, 18n].map((count): RpcReply => ({ result: numberToHex(count, { size: 32 }) }));
  expect(toDecimalsCalls(read)).toHaveLength(3);
  const refs = toWeightedRefs(token, read, decimals);
  expect(refs.map(({ weighted, token1 }) => [weighted?.poolId, token1])).toEqual([
    [idOf(2), usdc],
    [idOf(2), weth],
    [idOf(1), usdc],
  ]);
  expect(refs[0]).toMatchObject({
    candidatePool: { fee: 1, factory: second.factory },
    weighted: { scale1: 10n ** 12n },
  });
  expect(refs[2]?.candidatePool.fee).toBe(0);
  // A token whose decimals were not read has no pools.
  expect(toWeightedRefs(token, read, [decimals[0], undefined, decimals[2]])).toHaveLength(1);
});

test('keeps the 24 pools that hold most of the token', () => {
  const pools = Array.from({ length: 100 }, (_, pool) => listed(pool, [token, usdc]));
  const calls = toWeightedCalls(pools);
  expect(calls.map((call) => readsIn(call).length)).toEqual([200]);
  const results = Array.from({ length: 100 }, (_, pool) => [
    heldBy([token, usdc], [BigInt(pool + 1), 1n]),
    shares([half, half]),
  ]);
  const read = largestOf(token, fromWeightedReplies(pools, [aggregated(results.flat())]) ?? []);
  expect(read).toHaveLength(24);
  expect(read[0]?.id).toBe(idOf(99));
});

test('counts the balance of a pool once, whatever the number of its pairs', () => {
  const pools = [listed(2, [token, usdc, weth], second)];
  const read = fromWeightedReplies(pools, [
    aggregated([heldBy([token, usdc, weth], [9n, 7n, 8n]), shares([half, half / 2n, half / 2n])]),
  ]);
  const decimals = Array.from({ length: 3 }, () => ({ result: numberToHex(18, { size: 32 }) }));
  const rest = {
    kind: 'weighted',
    hasFastPowers: false,
    swapFee: 0n,
    feePips: [0, 0],
    balance0: 9n,
    balance1: 7n,
  } as const;
  const refs = toWeightedRefs(token, read ?? [], decimals);
  const states = refs.flatMap((ref) => (ref.weighted ? [{ ref, state: { ...rest, ...ref.weighted } }] : []));
  expect(heldInWeighted(states)(vault, token)).toBe(9n);
  expect(heldInWeighted(states)(addressOf(9), token)).toBe(0n);
});
