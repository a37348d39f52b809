import { expect, test } from 'vitest';
import { addRange, type BlockRange, countBlocks, cutRanges, missingRanges } from './blockRanges.ts';

const range = (from: number, to: number): BlockRange => ({ from, to });
const stored = [range(10, 19), range(30, 39)];

test.each([
  ['apart', range(50, 59), [...stored, range(50, 59)]],
  ['adjoining', range(20, 24), [range(10, 24), range(30, 39)]],
  ['between two', range(20, 29), [range(10, 39)]],
  ['overlapping both', range(15, 45), [range(10, 45)]],
  ['inside', range(31, 32), stored],
  ['earlier', range(0, 3), [range(0, 3), ...stored]],
])('adds a range %s', (_name, added, expected) => {
  expect(addRange(stored, added)).toEqual(expected);
});

test('cuts ranges after a block', () => {
  expect(cutRanges(stored, 34)).toEqual([range(10, 19), range(30, 34)]);
  expect(cutRanges(stored, 29)).toEqual([range(10, 19)]);
  expect(cutRanges(stored, -1)).toEqual([]);
});

test.each([
  [[], 9, [range(0, 9)]],
  [stored, 49, [range(40, 49), range(20, 29), range(0, 9)]],
  [stored, 35, [range(20, 29), range(0, 9)]],
  [stored, 15, [range(0, 9)]],
  [[range(0, 99)], 99, []],
  [[range(0, 99)], 50, []],
  [[], -1, []],
])('the missing blocks of %j up to %i, newest first', (ranges, last, expected) => {
  expect(missingRanges(ranges, last)).toEqual(expected);
});

test('an added range leaves no block of it missing', () => {
  let ranges: BlockRange[] = [];
  for (const from of [70, 10, 40, 0, 20, 60, 30, 50, 80]) ranges = addRange(ranges, range(from, from + 9));
  expect(ranges).toEqual([range(0, 89)]);
  expect(countBlocks(ranges)).toBe(90);
});
