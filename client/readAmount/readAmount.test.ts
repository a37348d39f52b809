import { expect, test } from 'vitest';
import { readAmount } from './index.ts';

test.each([
  ['2.5', '2.5'],
  [' 2.5 ', '2.5'],
  ['2,500', '2500'],
  ['1,234,567.89', '1234567.89'],
  ['2 500', '2500'],
  ['2\u00a0500', '2500'],
  ['\u200b2\u200d500\ufeff', '2500'],
  ["2'500", '2500'],
  ['2_500', '2500'],
  ['.5', '0.5'],
  ['5.', '5'],
  ['007', '7'],
  ['00.50', '0.50'],
  ['9'.repeat(78), '9'.repeat(78)],
])('default: %s is %s', (text, amount) => {
  expect(readAmount(text)).toEqual({ amount });
});

test.each([
  ['2,5', 'Write decimals with a point: 2.5.'],
  ['1,234.567,8', 'Write a number'],
  ['1,234 567', 'Write a number'],
  ['12,34,567', 'Write a number'],
  ['1 000,50', 'with a point: 1000.50.'],
  ['1.000,5', 'with a point: 1000.5.'],
  ['1e18', 'without an exponent'],
  ['-1', 'above 0'],
  ['\u22122', 'above 0'],
  ['\u0663', 'Write a number'],
  ['1\ud83d\ude80', 'Write a number'],
  ['NaN', 'Write a number'],
  ['0x10', 'Write a number'],
  ['1.2.3', 'Write a number'],
  ['.', 'Write a number'],
  ['', 'Write a number'],
  ['0', 'above 0'],
  ['0.000', 'above 0'],
  ['9'.repeat(79), 'more than 78 characters'],
])('error: %s', (text, problem) => {
  expect(readAmount(text)).toEqual({ problem: expect.stringContaining(problem) });
});
