import { expect, test } from 'vitest';
import { createFundingMemory, type Funding, type KnownFunding } from './fundingMemory.ts';
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
  memory.set(token, funding);
  expect(memory.get(token.toUpperCase().replace('0X', '0x') as typeof token)).toBe(funding);
  memory.forget(token);
  expect(memory.get(token)).toBeUndefined();
});

/** A source may spend its balance. */
const sourced: KnownFunding = {
  decimals: 18,
  supply: 10n ** 24n,
  source: { account: token, way: 'transfer', sent: 1n, received: 1n },
};

test.each<KnownFunding>(['unknown', sourced])('expires what may change after ten minutes (%#)', (known) => {
  let now = 0;
  const memory = createFundingMemory(() => now);
  memory.set(token, known);
  now = 599_999;
  expect(memory.get(token)).toBe(known);
  now = 600_000;
  expect(memory.get(token)).toBeUndefined();
});
