import { expect, test } from 'vitest';
import { createFundingMemory, type Funding } from './fundingMemory.ts';
import { usualFormulas } from './storageLocations.ts';

const token = '0x4200000000000000000000000000000000000006';
const slotOf = usualFormulas[3] as (typeof usualFormulas)[number];
const funding: Funding = {
  decimals: 18,
  supply: 10n ** 24n,
  balances: { contract: token, slotOf },
  allowances: { contract: token, slotOf },
  sample: { stored: 1n, balance: 1n },
};

test('keeps a funding whatever the letter case of the token', () => {
  const memory = createFundingMemory(() => 0);
  memory.remember(token, funding);
  expect(memory.find(token.toUpperCase().replace('0X', '0x') as typeof token)).toBe(funding);
  memory.forget(token);
  expect(memory.find(token)).toBeUndefined();
});

test('expires `unknown` after ten minutes', () => {
  let now = 0;
  const memory = createFundingMemory(() => now);
  memory.remember(token, 'unknown');
  now = 599_999;
  expect(memory.find(token)).toBe('unknown');
  now = 600_000;
  expect(memory.find(token)).toBeUndefined();
});
