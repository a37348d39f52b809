import { expect, test } from 'vitest';
import { createFundingMemory } from './tokenFunding.ts';

const token = '0x4200000000000000000000000000000000000006';

test('default: a place is kept, whatever the letter case of the token', () => {
  const memory = createFundingMemory(() => 0);
  memory.remember(token, { layout: 3 });
  expect(memory.find(token.toUpperCase().replace('0X', '0x') as typeof token)).toEqual({ layout: 3 });
  memory.forget(token);
  expect(memory.find(token)).toBeUndefined();
});

test('behavior: that no place helps is believed for ten minutes: it may have been the word of one node', () => {
  let now = 0;
  const memory = createFundingMemory(() => now);
  memory.remember(token, 'unknown');
  now = 599_999;
  expect(memory.find(token)).toBe('unknown');
  now = 600_000;
  expect(memory.find(token)).toBeUndefined();
});
