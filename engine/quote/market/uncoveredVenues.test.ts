import { concatHex, numberToHex } from 'viem';
import { expect, test } from 'vitest';
import { testNode } from '../../../tests/support/engine/testNode.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { RpcTransportError } from '../../errors.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import type { Pool, PoolState } from '../../venues/poolTypes.ts';
import { balancerVault } from '../../venues/venueTypes.ts';
import {
  fromUncoveredReplies,
  heldInWeighted,
  readUncovered,
  toUncoveredCalls,
  withHookedPools,
} from './uncoveredVenues.ts';

const [lists, token] = [deployments.base, '0x00000000000000000000000000000000000000aa'] as const;
const [weth, usdc] = lists.pricingAssets.map(({ address }) => address) as [LowerAddress, LowerAddress];
const names = lists.uncovered.map(({ name }) => name);

const wordsOf = (...words: bigint[]): RpcReply => ({
  result: concatHex(words.map((word) => numberToHex(word, { size: 32 }))),
});
/** Replies of four singletons, three Curve factories and the Maverick factory. A balance of status 2 was read. */
const repliesOf = (
  balances: readonly bigint[],
  curvePools: readonly bigint[] = [0n, 0n, 0n],
  maverickPools: readonly bigint[] = [],
): RpcReply[] => [
  wordsOf(32n, BigInt(balances.length), ...balances.flatMap((amount) => [2n, amount])),
  ...curvePools.map((pool) => wordsOf(pool)),
  wordsOf(32n, BigInt(maverickPools.length), ...maverickPools),
];
const pair = [token, usdc] as const;

test('one call reads all balances, and one call to each factory of Curve and Maverick reads the pools of the pair', () => {
  expect(names.slice(4)).toEqual(['curve-stable', 'curve-twocrypto', 'curve-tricrypto', 'maverick-v2']);
  expect(toUncoveredCalls(lists, pair, 'latest')).toHaveLength(repliesOf([0n, 0n, 0n, 0n]).length);
});

test('reports a factory that has a pool of the pair', () => {
  const found = fromUncoveredReplies(lists, pair, repliesOf([0n, 0n, 0n, 0n], [0n, 5n, 0n]));
  expect(found).toEqual({ notCovered: ['curve-twocrypto'], notCoveredUnread: [] });
});

test('reports Maverick if its factory lists a pool of the pair', () => {
  const found = fromUncoveredReplies(lists, pair, repliesOf([0n, 0n, 0n, 0n], undefined, [7n]));
  expect(found).toEqual({ notCovered: ['maverick-v2'], notCoveredUnread: [] });
  const lookup = toUncoveredCalls(lists, [usdc, weth], 'latest').at(-1) as RpcCall;
  const [{ data }] = lookup.params as [{ data: string }];
  // The factory finds pools only if the lower address is the first argument.
  const words = [weth, usdc, '0x0', '0x1'].map((word) => word.slice(2).padStart(64, '0'));
  expect(data.slice(10)).toBe(words.join(''));
});

test('between two routing assets, reports only a singleton that holds both', () => {
  const found = fromUncoveredReplies(lists, [weth, usdc], repliesOf([1n, 1n, 1n, 0n, 0n, 1n, 0n, 0n]));
  expect(found).toEqual({ notCovered: ['balancer-v2'], notCoveredUnread: [] });
});

test('a factory without code has no pool, and a refused call is unread', () => {
  const [balances, ...curve] = repliesOf([0n, 0n, 0n, 0n]);
  const refused = { error: { code: -32000, message: 'busy' } };
  const replies = [balances, { result: '0x' }, refused, curve[2], { result: '0x' } as const];
  expect(fromUncoveredReplies(lists, pair, replies)).toEqual({
    notCovered: [],
    notCoveredUnread: ['curve-twocrypto'],
  });
});

test('a singleton whose balances were not read is unread, not empty', () => {
  const [, ...factories] = repliesOf([0n, 0n, 0n, 0n]);
  const refused = { error: { code: -32000, message: 'busy' } };
  const unread = { notCovered: [], notCoveredUnread: names.slice(0, 4) };
  expect(fromUncoveredReplies(lists, pair, [refused, ...factories])).toEqual(unread);
  expect(fromUncoveredReplies(lists, pair, [undefined, ...factories])).toEqual(unread);
  const none = Array.from(factories, () => undefined);
  expect(fromUncoveredReplies(lists, pair, [undefined, ...none]).notCoveredUnread).toEqual(names);
});

test('only the balance above that of the read pools counts, as pools of other kinds', () => {
  const held = (inPools: bigint) =>
    fromUncoveredReplies(lists, pair, repliesOf([10n, 0n, 0n, 0n]), (holder) =>
      holder === lists.uncovered.find(({ name }) => name === names[0])?.address ? inPools : 0n,
    ).notCovered;
  expect(held(0n)).toEqual([names[0]]);
  expect(held(9n)).toEqual([`${names[0]} pools of other kinds`]);
  expect(held(10n)).toEqual([]);
});

test('the venues of a pair are read in one request at the block', async () => {
  const sent: (readonly RpcCall[])[] = [];
  const node = testNode({
    chain: 'base',
    send: async (calls) => {
      sent.push(calls);
      return repliesOf([0n, 3n, 0n, 0n]);
    },
  });
  const found = await readUncovered(lists, pair, '0x10', node);
  expect(found).toEqual({ notCovered: [names[1]], notCoveredUnread: [] });
  expect(sent).toHaveLength(1);
  expect(new Set(sent[0]?.map(({ params }) => params[1]))).toEqual(new Set(['0x10']));
  expect((await readUncovered(lists, pair, '0x10', node, () => 3n)).notCovered).toEqual([]);
});

test('all venues are unread if the request fails, and another error is thrown', async () => {
  const failing = (error: Error) => testNode({ chain: 'base', send: () => Promise.reject(error) });
  expect(await readUncovered(lists, pair, '0x10', failing(new RpcTransportError('refused')))).toEqual({
    notCovered: [],
    notCoveredUnread: names,
  });
  await expect(readUncovered(lists, pair, '0x10', failing(new RangeError('wrong')))).rejects.toThrow('wrong');
});

test('pools with an unlisted hook are added to the venues', () => {
  expect(withHookedPools({ notCovered: ['vault'], notCoveredUnread: ['curve'] })).toEqual({
    notCovered: ['vault', 'uniswap-v4 pools with an unlisted hook'],
    notCoveredUnread: ['curve'],
  });
});

test('of a token and a routing asset, only the balance of the token shows a venue', () => {
  const data = (tokens: readonly [LowerAddress, LowerAddress]) =>
    (toUncoveredCalls(lists, tokens, 'latest')[0]?.params[0] as { data: string } | undefined)?.data ?? '';
  expect(data([token, usdc])).toContain(token.slice(2));
  expect(data([token, usdc])).not.toContain(usdc.slice(2));
  expect(data([weth, usdc])).toContain(usdc.slice(2));
});

test('the balance of a weighted pool counts once, whatever the number of its pairs', () => {
  const candidatePool = { family: 'balancer-v2' } as CandidatePool;
  const pairWith = (other: LowerAddress): Pool => {
    const id = concatHex([`0x${'77'.repeat(20)}`, token, other]);
    const state = { kind: 'weighted', balance0: 9n, balance1: 7n } as PoolState;
    return { ref: { candidatePool, id, token0: token, token1: other }, state };
  };
  const inWeighted = heldInWeighted([pairWith(weth), pairWith(usdc)]);
  expect([inWeighted(balancerVault, token), inWeighted(balancerVault, usdc)]).toEqual([9n, 7n]);
  expect(inWeighted(weth, token)).toBe(0n);
});
