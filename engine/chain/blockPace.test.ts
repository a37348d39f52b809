import { expect, test } from 'vitest';
import { createBlockPace } from './blockPace.ts';

const block = (number: number, timestamp: number, timeMs?: number) => ({
  ...{ number: BigInt(number), timestamp: BigInt(timestamp), timeMs },
  ...({ hash: '0x', parentHash: '0x' } as const),
});

test('counts blocks of 200 ms before the interval is measured', () => {
  const pace = createBlockPace();
  pace.saw(block(100, 1_000));
  pace.saw(block(103, 1_009));
  expect(pace.blocksIn(60)).toBe(300n);
});

test.each([
  ['five blocks a second', 0.2, 300],
  ['four blocks a second', 0.25, 240],
  ['a block every 1.75 s', 1.75, 35],
  ['a block every two seconds', 2, 30],
])('measures %s from heads with whole seconds', (_name, seconds, expected) => {
  const pace = createBlockPace();
  for (let number = 0; number * seconds <= 130; number += 7)
    pace.saw(block(number, Math.floor(1_000 + number * seconds)));
  const measured = Number(pace.blocksIn(60));
  expect(Math.abs(measured - expected)).toBeLessThanOrEqual(Math.ceil(expected * 0.02));
});

test('notices that a chain has become faster', () => {
  const pace = createBlockPace();
  for (let number = 0; number < 100; number += 1) pace.saw(block(number, 1_000 + 2 * number));
  expect(pace.blocksIn(60)).toBe(30n);
  for (let number = 0; number < 1_500; number += 5) pace.saw(block(100 + number, 1_200 + number / 5));
  expect(pace.blocksIn(60)).toBe(300n);
});

test('a head with a much higher number, or a lower one, distorts it no longer than until the next heads', () => {
  const pace = createBlockPace();
  pace.saw(block(1_000, 1_000));
  pace.saw(block(9_000_000, 1_020));
  for (let number = 0; number < 100; number += 1) pace.saw(block(1_010 + number, 1_020 + 2 * number));
  pace.saw(block(1_050, 1_100));
  expect(Number(pace.blocksIn(60))).toBeLessThanOrEqual(32);
});

test('uses the milliseconds of nodes that return them', () => {
  const pace = createBlockPace();
  pace.saw(block(100, 1_000, 1_000_800));
  pace.saw(block(150, 1_010, 1_010_800));
  expect(pace.blocksIn(10)).toBe(50n);
});

test('an interval is measured from ten seconds on', () => {
  const pace = createBlockPace();
  pace.saw(block(100, 1_000, 1_000_000));
  pace.saw(block(110, 1_009, 1_009_999));
  expect(pace.blocksIn(10)).toBe(50n);
  pace.saw(block(110, 1_010, 1_010_000));
  expect(pace.blocksIn(10)).toBe(10n);
});

test('a head that stays the same, and an interval below 50 ms, measure nothing absurd', () => {
  const pace = createBlockPace();
  pace.saw(block(100, 1_000));
  pace.saw(block(100, 1_020));
  expect(pace.blocksIn(10)).toBe(50n);
  pace.saw(block(1_000_000, 1_020));
  expect(pace.blocksIn(10)).toBe(200n);
});

test('after two minutes the measurement begins anew at the last head', () => {
  const pace = createBlockPace();
  pace.saw(block(0, 1_000));
  pace.saw(block(60, 1_120));
  expect(pace.blocksIn(10)).toBe(5n);
  pace.saw(block(70, 1_130));
  expect(pace.blocksIn(10)).toBe(10n);
});

test('a lower head begins the measurement anew', () => {
  const pace = createBlockPace();
  pace.saw(block(1_000, 1_000));
  pace.saw(block(900, 1_050));
  pace.saw(block(910, 1_060));
  expect(pace.blocksIn(10)).toBe(10n);
});
