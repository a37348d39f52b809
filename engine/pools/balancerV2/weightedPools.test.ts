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
import {
  fromCreatedReplies,
  fromDecimalsReplies,
  fromIdReplies,
  fromTokensReplies,
  fromWeightedReplies,
  type ListedPool,
  toCreatedCalls,
  toDecimalsCalls,
  toFeeCalls,
  toIdCalls,
  toWeightedCalls,
  weightedRowsOf,
} from './weightedPools.ts';

const rows = weightedRowsOf(deployments.polygon);
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

test('lists three releases on Polygon and Arbitrum, and none on Base', () => {
  expect(rows.map(({ release }) => release)).toEqual(['first', 'later', 'later']);
  expect(weightedRowsOf(deployments.arbitrum)).toHaveLength(3);
  expect(weightedRowsOf(deployments.base)).toEqual([]);
});

test('the kinds keep the numbers that a stored pool index contains', () => {
  expect([kinds.v2, kinds.algebra, kinds.v4, kinds.v4Native]).toEqual([1, 4, 8, 9]);
});

test('reads logs of the factories, and ignores logs of other contracts', () => {
  const address = rows.map(({ factory }) => factory);
  const calls = toCreatedCalls(rows, { from: 5n, seenHead: 12n, longest: 5 });
  expect(calls.map(({ params }) => params)).toMatchObject([
    [{ address, fromBlock: '0x5', toBlock: '0x9' }],
    [{ address, fromBlock: '0xa', toBlock: 'latest' }],
  ]);
  const stranger = createdBy(addressOf(77), 9);
  const odd = [null, 5, { ...createdBy(first.factory, 8), topics: [createdTopic] }, { ...stranger, blockNumber: '0x' }];
  const result = [createdBy(first.factory, 1), ...odd, stranger, createdBy(second.factory, 2)];
  const pools = fromCreatedReplies(rows, [{ result: result.slice(0, 3) }, { result: result.slice(3) }]);
  expect(pools?.map(({ address, candidatePool }) => [address, candidatePool.fee, candidatePool.kind])).toEqual([
    [addressOf(0x1001), 0, kinds.weighted],
    [addressOf(0x1002), 1, kinds.weighted],
  ]);
  const refused = { error: { code: -32_005, message: 'range' } };
  expect(fromCreatedReplies(rows, [{ result }, refused])).toBeUndefined();
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
  const calls = toIdCalls(fromCreatedReplies(rows, [{ result: created }]) ?? []);
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
  expect(fromWeightedReplies([], [reply], [])).toBeUndefined();
});

const listed = (pool: number, tokens: readonly LowerAddress[]): ListedPool => ({
  id: idOf(pool),
  candidatePool: fromCreatedReplies(rows, [{ result: [createdBy(first.factory, pool)] }])?.[0]
    ?.candidatePool as ListedPool['candidatePool'],
  tokens,
});

test('reads balances, weights and fees, and excludes a pool with a malformed reply', () => {
  const pools = [1, 2, 3, 4, 5].map((pool) => listed(pool, [token, usdc]));
  const counts = [toWeightedCalls(pools), toFeeCalls(pools)].map((calls) => calls.map((call) => readsIn(call).length));
  expect(counts).toEqual([[10], [5]]);
  const replies = [
    aggregated([
      ...[heldBy([token, usdc], [5n, 7n]), shares([half, half])],
      ...[heldBy([token, usdc, weth], [9n, 7n, 8n]), shares([half, half])],
      ...[returned(numberToHex(2n ** 255n, { size: 32 })), shares([half])],
      ...[heldBy([token, usdc], [5n, 7n]), shares([2n * half, 0n])],
      ...[heldBy([token, usdc], [6n, 7n]), shares([half, half])],
    ]),
  ];
  const fee = returned(numberToHex(3n * 10n ** 15n, { size: 32 }));
  const read = fromWeightedReplies(pools, replies, [aggregated([fee, fee, fee, fee, reverted])]);
  const [own, other] = [
    { token, balance: 5n, weight: half },
    { token: usdc, balance: 7n, weight: half },
  ];
  expect(read).toMatchObject([
    { id: idOf(1), swapFee: 3n * 10n ** 15n, tokens: [own, other] },
    // An unread fee counts as the highest allowed one.
    { id: idOf(5), swapFee: 10n ** 17n, tokens: [{ ...own, balance: 6n }, other] },
  ]);
  const unread = fromWeightedReplies(pools, replies, [undefined]);
  expect(unread?.map(({ swapFee }) => swapFee)).toEqual([10n ** 17n, 10n ** 17n]);
});

test('reads decimals, and excludes a token whose decimals() reverts', () => {
  expect(toDecimalsCalls([token, usdc])).toHaveLength(2);
  const replies: RpcReply[] = [{ error: { code: 3, message: 'reverted' } }, { result: numberToHex(6, { size: 32 }) }];
  expect(fromDecimalsReplies([token, usdc], replies)).toEqual(new Map([[usdc, 6]]));
});
