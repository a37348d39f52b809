import { expect, test } from 'vitest';
import { toJsonRows } from './jsonRows.ts';

test('half a surrogate pair becomes U+FFFD, other text stays', () => {
  expect(JSON.parse(toJsonRows([{ key: 'a\ud800b' }, '😀 "\\ \n', 5]))).toEqual([{ key: 'a\ufffdb' }, '😀 "\\ \n', 5]);
});
