import { encodeAbiParameters, encodeFunctionData, type Hex, keccak256, numberToHex, parseAbi } from 'viem';
import { describe, expect, test } from 'vitest';
import type { RpcReply } from '../chain/rpcEndpoint.ts';
import { encodeWords } from '../chain/words.ts';
import { type LowerAddress, toLowerAddress } from '../lowerAddress.ts';
import { kinds, noHooks } from '../venues/kinds.ts';
import type { PoolRef } from '../venues/poolTypes.ts';
import { sqrtPriceAtTick } from '../venues/uniswapV3/tickMaths.ts';
import { fromRankReplies, maxUnlistedPools, toRankCalls } from './rankPools.ts';

const address = (value: number) => toLowerAddress(numberToHex(value, { size: 20 }));
const [token, other] = [address(1), address(2)];
const [manager, secondManager] = [address(1001), address(1002)];

const contract = (value: number): PoolRef => ({
  candidatePool: {
    family: 'uniswap-v2',
    venue: 'test',
    kind: kinds.v2,
    factory: address(7),
    fee: 0,
    tickSpacing: 0,
    hooks: noHooks as LowerAddress,
  },
  id: address(value),
  token0: token,
  token1: other,
});

const singleton = (value: number, factory = manager, kind: number = kinds.v4): PoolRef => ({
  candidatePool: {
    family: 'uniswap-v4',
    venue: 'test',
    kind,
    factory,
    fee: 3000,
    tickSpacing: 60,
    hooks: noHooks as LowerAddress,
  },
  id: numberToHex(value, { size: 32 }),
  token0: token,
  token1: other,
});

const reply = (words: readonly bigint[]): RpcReply => ({ result: encodeWords('0x', words) });
/** The balance lens's answer: the status (2 = read) and the amount of each balance. */
const balances = (amounts: readonly bigint[]) =>
  reply([32n, BigInt(amounts.length), ...amounts.flatMap((amount) => [2n, amount])]);
/** The manager's answer: price and tick, and the liquidity, of each pool. */
const stored = (pools: readonly (readonly [slot0: bigint, liquidity: bigint])[]) =>
  reply([32n, BigInt(2 * pools.length), ...pools.flat()]);
const slot0At = (tick: number, sqrtPriceX96 = sqrtPriceAtTick(tick)) =>
  (BigInt.asUintN(24, BigInt(tick)) << 160n) | sqrtPriceX96;

describe('the calls', () => {
  const abi = parseAbi(['function extsload(bytes32[] slots) view returns (bytes32[])']);

  test('read the price and the liquidity of each pool from the storage of its manager', () => {
    const ref = singleton(5);
    const [call] = toRankCalls([ref], token, '0x64');
    const state = keccak256(encodeAbiParameters([{ type: 'bytes32' }, { type: 'uint256' }], [ref.id as Hex, 6n]));
    const slots = [state, numberToHex(BigInt(state) + 3n, { size: 32 })];
    const data = encodeFunctionData({ abi, functionName: 'extsload', args: [slots] });
    expect(call).toEqual({ method: 'eth_call', params: [{ to: manager, data, gas: '0x989680' }, '0x64'] });
  });

  test('read the pools of one manager together, 500 in a call, whatever kind of Uniswap v4 they are', () => {
    const refs = Array.from({ length: 501 }, (_, at) => singleton(at, manager, at % 2 ? kinds.v4 : kinds.v4Native));
    const calls = toRankCalls([...refs, singleton(900, secondManager)], token, 'latest');
    const targets = calls.map(({ params }) => (params[0] as { to: string }).to);
    expect(targets).toEqual([manager, manager, secondManager]);
  });

  test('read the balances of the other pools before them', () => {
    const calls = toRankCalls([singleton(5), contract(100), contract(101)], token, 'latest');
    expect(calls).toHaveLength(2);
    for (const pool of [100, 101]) expect(JSON.stringify(calls[0])).toContain(address(pool).slice(2));
    expect(toRankCalls([], token, 'latest')).toEqual([]);
  });
});

describe('the order', () => {
  test('is descending by balance, with unread pools last in their order', () => {
    const refs = [100, 101, 102, 103, 104].map(contract);
    const answer = reply([32n, 5n, ...[1n, 0n], ...[2n, 5n], ...[0n, 0n], ...[2n, 0n], ...[2n, 7n]]);
    const ranked = fromRankReplies(refs, token, [answer], []);
    expect(ranked.map(({ id }) => id)).toEqual([104, 101, 103, 100, 102].map(address));
    expect(fromRankReplies(refs, token, [undefined], [])).toEqual(refs);
    expect(fromRankReplies(refs, token, [{ error: { code: 3, message: 'out of gas' } }], [])).toEqual(refs);
  });

  test('keeps the 24 pools that hold most', () => {
    const refs = Array.from({ length: 30 }, (_, at) => contract(100 + at));
    const ranked = fromRankReplies(refs, token, [balances(refs.map((_, at) => BigInt(at)))], []);
    expect(ranked).toHaveLength(24);
    expect(maxUnlistedPools).toBe(24);
    expect(ranked.map(({ id }) => id)).toEqual(Array.from({ length: 24 }, (_, at) => address(129 - at)));
  });

  /** Whether a pool of Uniswap v4 in this state ranks before a contract that holds `amount`. */
  const holdsMore = (state: readonly [bigint, bigint], amount: bigint, sold = token) => {
    const refs = [contract(100), singleton(5)];
    const ranked = fromRankReplies(refs, sold, [balances([amount]), stored([state])], []);
    return ranked[0]?.id === refs[1]?.id;
  };

  // At price 1 with a spacing of 60, a position ends at tick 60 at the earliest: 10^12 · (1 − 1 / 1.0001^30).
  test.each([
    { name: 'at a multiple of the spacing it holds token0 up to the next one', tick: 0, held: 2_995_354_956n },
    { name: 'below zero too', tick: -60, held: 3_004_354_063n },
    { name: 'between two multiples it holds token0 up to the upper one', tick: 30, held: 1_496_554_276n },
    { name: 'between two negative multiples too', tick: -30, held: 1_501_050_455n },
  ])('counts what the liquidity of a singleton must hold: $name', ({ tick, held }) => {
    const state = [slot0At(tick), 10n ** 12n] as const;
    expect(holdsMore(state, held - 1000n)).toBe(true);
    expect(holdsMore(state, held + 1000n)).toBe(false);
  });

  test.each([
    { name: 'down to the multiple below', tick: 30, held: 1_501_050_455n },
    { name: 'below zero too', tick: -30, held: 1_496_554_276n },
  ])('counts token1 of a singleton $name', ({ tick, held }) => {
    const state = [slot0At(tick), 10n ** 12n] as const;
    expect(holdsMore(state, held - 1000n, other)).toBe(true);
    expect(holdsMore(state, held + 1000n, other)).toBe(false);
  });

  test('a singleton without a price, without liquidity, or whose price contradicts its tick, holds nothing', () => {
    expect(holdsMore([0n, 10n ** 30n], 1n)).toBe(false);
    expect(holdsMore([slot0At(0), 0n], 1n)).toBe(false);
    expect(holdsMore([slot0At(0, sqrtPriceAtTick(600)), 10n ** 30n], 1n)).toBe(false);
    expect(holdsMore([slot0At(0, sqrtPriceAtTick(-600)), 10n ** 30n], 1n, other)).toBe(false);
    // It ranks before a pool that was not read.
    const refs = [contract(100), singleton(5)];
    expect(fromRankReplies(refs, token, [undefined, stored([[0n, 0n]])], [])).toEqual(refs.toReversed());
  });

  test('alternates pools with the largest holdings of the token and of each hub', () => {
    const hubs = [address(3), address(4)];
    const against = (value: number, counter: LowerAddress) => ({ ...singleton(value), token1: counter });
    const [first, second] = hubs as [LowerAddress, LowerAddress];
    const refs = [singleton(5), singleton(6), against(7, first), against(8, first), against(9, second)];
    const at = (tick: number, liquidity: bigint) => [slot0At(tick), liquidity] as const;
    // The prices of the last three are just below a multiple of the spacing: they hold next to nothing of token0.
    const states = [at(0, 10n ** 12n), at(0, 10n ** 11n), at(59, 10n ** 10n), at(59, 10n ** 12n), at(59, 10n ** 9n)];
    const ranked = fromRankReplies(refs, token, [stored(states)], hubs);
    expect(ranked.map(({ id }) => Number(id))).toEqual([5, 8, 9, 6, 7]);
    const unread = fromRankReplies(refs, token, [undefined], hubs);
    expect(unread).toEqual(refs);
  });

  test('uses only the low 128 bits of the liquidity word', () => {
    expect(holdsMore([slot0At(0), 1n << 128n], 1n)).toBe(false);
  });

  test('leaves only the pools of a call unread if its reply has the wrong length', () => {
    const refs = [singleton(5), singleton(6, secondManager)];
    const held = [slot0At(0), 10n ** 12n] as const;
    expect(fromRankReplies(refs, token, [stored([held, held]), stored([held])], [])).toEqual(refs.toReversed());
    expect(fromRankReplies(refs, token, [undefined, stored([held])], [])).toEqual(refs.toReversed());
  });

  test('assigns each reply to the pools of its manager', () => {
    const refs = [singleton(5), singleton(6, secondManager), singleton(7)];
    const at = (liquidity: bigint) => [slot0At(0), liquidity] as const;
    const replies = [stored([at(10n ** 12n), at(10n ** 14n)]), stored([at(10n ** 13n)])];
    expect(fromRankReplies(refs, token, replies, []).map(({ id }) => BigInt(id))).toEqual([7n, 6n, 5n]);
  });
});
