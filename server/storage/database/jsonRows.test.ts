import { expect, test } from 'vitest';
import { toJsonRows } from './jsonRows.ts';

test('replaces a lone surrogate by U+FFFD and keeps other text', () => {
  expect(JSON.parse(toJsonRows([{ key: 'a\ud800b' }, '😀 "\\ \n', 5]))).toEqual([{ key: 'a\ufffdb' }, '😀 "\\ \n', 5]);
});
