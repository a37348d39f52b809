import { concatHex, keccak256 } from 'viem';
import { expect, test } from 'vitest';
import { drawFrom } from './drawFrom.ts';

test('the same parts draw the same word, others another', () => {
  const word = drawFrom('0x01', '0x02');
  expect(word).toMatch(/^0x[0-9a-f]{64}$/);
  expect(drawFrom('0x01', '0x02')).toBe(word);
  expect(new Set([word, drawFrom('0x02', '0x01'), drawFrom('0x01'), drawFrom()]).size).toBe(4);
});

test('a word cannot be computed from its parts alone', () => {
  expect(drawFrom('0x01', '0x02')).not.toBe(keccak256(concatHex(['0x01', '0x02'])));
});
