import { decodeAbiParameters, type Hex, pad, parseAbiParameters } from 'viem';
import { expect, test } from 'vitest';
import type { ContractFunction } from '../bytecode/readFunctions.ts';
import { couldBePower, toArgumentSets, toAttempts } from './attempts.ts';

const holder = '0x1111111111111111111111111111111111111111';
const caller = '0x2222222222222222222222222222222222222222';
const pool = '0x3333333333333333333333333333333333333333';
const subjects = { holder, caller, pool, held: 1_000n, totalSupply: 1_000_000n } as const;
const decoded = (types: string, words: string) => decodeAbiParameters(parseAbiParameters(types), `0x${words}` as Hex);

test('default: fills each type with a harmful value', () => {
  expect(toArgumentSets('address,bool', subjects).map((words) => decoded('address, bool', words))).toEqual([
    [holder, true],
    [holder, false],
    [pool, true],
    [pool, false],
  ]);
  expect(toArgumentSets('uint256', subjects).map((words) => decoded('uint256', words)[0])).toEqual([
    1n,
    25n,
    2_500n,
    2_000_001n,
    BigInt(holder),
    1_000n,
  ]);
});

test('fills a number beside an account also with numbers of a status', () => {
  const statusesOf = (types: string, at: number) =>
    toArgumentSets(types, subjects)
      .map((words) => decoded(types, words))
      .filter((values) => values.flat()[0] === holder)
      .map((values) => values[at]);
  expect(statusesOf('address,uint256', 1)).toEqual(expect.arrayContaining([1n, 2n, 3n]));
  expect(statusesOf('address[],uint8', 1)).toEqual(expect.arrayContaining([1, 2, 3]));
});

test('default: mints to the caller, burns from the holder and blacklists the holder', () => {
  const sets = toArgumentSets('address,uint256', subjects).map((words) => decoded('address, uint256', words));
  expect(sets).toEqual([
    [caller, 100_001n],
    [caller, 2_000_001n],
    [holder, 500n],
    [holder, 1n],
    [holder, 2n],
    [holder, 3n],
    [pool, 1n],
  ]);
  expect(decoded('address[], bool', toArgumentSets('address[],bool', subjects)[0] ?? '')).toEqual([[holder], true]);
});

test('behavior: does not try functions with unsupported argument types', () => {
  expect(toArgumentSets('(uint256,function)', subjects)).toEqual([]);
});

test.each([
  ['(address,uint16,string)', [[holder, 1, '']]],
  ['(address,string)[]', [[[holder, '']]]],
  ['(address,uint8)[],bool', [[[holder, 1]], true]],
  ['bool,(address,string,(uint256,bytes)),address', [true, [holder, '', [1n, '0x']], holder]],
  ['bytes[],uint8[]', [['0x'], [1]]],
  ['address[][],uint16', [[[holder]], 1]],
  ['(address,uint8)[][]', [[[[holder, 1]]]]],
  ['(address,(address,uint256)[])[]', [[[holder, [[holder, 1n]]]]]],
])('fills every member of tuples and lists: %s', (types, expected) => {
  const sets = toArgumentSets(types, subjects);
  expect(decoded(types, sets[0] ?? '')).toEqual(expected);
  // Every set is decodable.
  for (const words of sets) decoded(types, words);
});

test('fills strings with empty values, and bytes also with the holder', () => {
  expect(toArgumentSets('string,address', subjects).map((words) => decoded('string, address', words))).toEqual([
    ['', holder],
    ['', pool],
  ]);
  const encoded = (address: Hex) => pad(address);
  expect(toArgumentSets('bytes', subjects).map((words) => decoded('bytes', words)[0])).toEqual([
    '0x',
    encoded(holder),
    encoded(pool),
  ]);
  expect(toArgumentSets('bytes32', subjects).map((words) => decoded('bytes32', words)[0])).toContain(encoded(holder));
  expect(toArgumentSets('bytes20', subjects).map((words) => decoded('bytes20', words)[0])).toContain(holder);
});

test.each([
  ['uint8', 2n ** 7n],
  ['uint32', 2n ** 31n],
  ['int64', 2n ** 62n],
  ['uint256', 2n ** 201n + 1n],
])('an amount that does not fit into %s is half of the largest value', (type, expected) => {
  const sets = toArgumentSets(type, { ...subjects, totalSupply: 2n ** 200n });
  const values = sets.map((words) => BigInt(decoded(type, words)[0] as bigint));
  expect(values).toContain(expected);
});

test('a tuple has an offset and may have members that the code does not read', () => {
  const [words = ''] = toArgumentSets('(address,uint8)', subjects);
  const [offset, account, value, ...further] = words.match(/.{64}/g) ?? [];
  expect([offset, account, value].map((word) => BigInt(`0x${word}`))).toEqual([32n, BigInt(holder), 1n]);
  expect(further).toEqual(Array(8).fill('0'.repeat(64)));
});

const named = (selector: Hex, args: string, writes = true): ContractFunction => ({ selector, args, writes });

test('behavior: does not try upgrade functions and view functions', () => {
  const functions = [named('0x3659cfe6', 'address'), named('0x12345678', '', false)];
  expect(toAttempts(functions, subjects)).toEqual({ attempts: [], functionsTried: 0, truncated: false });
});

test('tries each of ERC-20’s own functions once, after the others', () => {
  const functions = [
    named('0x095ea7b3', 'address,uint256'),
    named('0x23b872dd', 'address,address,uint256'),
    named('0x12345678', ''),
  ];
  const { attempts, functionsTried } = toAttempts(functions, subjects);
  expect(attempts.map(({ selector, isErc20 }) => [selector, isErc20])).toEqual([
    ['0x12345678', false],
    ['0x095ea7b3', true],
    ['0x23b872dd', true],
  ]);
  expect(functionsTried).toBe(1);
});

test('a function whose arguments cannot be filled leaves the scan incomplete', () => {
  const functions = [named('0x12345678', '(uint256,function)'), named('0x23456789', 'address')];
  const { functionsTried, truncated } = toAttempts(functions, subjects);
  expect([functionsTried, truncated]).toEqual([1, true]);
});

test.each([
  [32, 1],
  [33, 0],
])('a function of up to 32 arguments is tried: %i arguments, tried %i', (count, sets) => {
  const args = Array.from({ length: count }, () => 'bytes32').join();
  expect(Math.min(1, toArgumentSets(args, subjects).length)).toBe(sets);
});

test('behavior: fills nested lists of tuples in linear time, and does not try more than 32 types and lists', () => {
  const nested = (depth: number): string => (depth === 0 ? 'uint256[]' : `(address,${nested(depth - 1)})[]`);
  const visits = { count: 0 };
  const counted = {
    ...subjects,
    get holder(): typeof holder {
      visits.count += 1;
      return holder;
    },
  } as const;
  const countAt = (depth: number) => {
    visits.count = 0;
    expect(toArgumentSets(nested(depth), counted).length).toBeGreaterThan(0);
    return visits.count;
  };
  expect(countAt(8)).toBeLessThan(2 * countAt(4));
  expect(toArgumentSets(nested(11), subjects)).toEqual([]);
  expect(toArgumentSets(`address${'[]'.repeat(5_000)}`, subjects)).toEqual([]);
});

test('behavior: reports truncation if there are more functions than the limit', () => {
  const many = Array.from({ length: 70 }, (_, n) => named(`0x000000${(n + 16).toString(16)}` as Hex, ''));
  const { functionsTried, truncated } = toAttempts(many, subjects);
  expect([functionsTried, truncated]).toEqual([60, true]);
});

test('without an account that may call it, a function is a possible power by its arguments', () => {
  const listing = [named('0x12345678', 'address,uint8')];
  const burning = [named('0x42966c68', 'uint256')];
  const amount = [named('0x23456789', 'uint256')];
  const unfillable = [named('0x34567890', '(uint256,address)')];
  const table = [listing, burning, amount, unfillable].map((functions) => [
    couldBePower(functions, 'blacklist'),
    couldBePower(functions, 'mint'),
  ]);
  expect(table).toEqual([
    [true, true],
    [false, false],
    [false, true],
    [true, true],
  ]);
});
