import { expect, test } from 'vitest';
import { lowerAddresses, toLowerAddress } from './lowerAddress.ts';
import { poolEventsOf } from './pools/poolEvents.ts';

test('converts addresses in nested data to lower case, and changes nothing else', () => {
  const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
  const data = { symbol: 'USDC', list: [usdc], id: `0x${'AB'.repeat(32)}`, blocks: 10n, none: null } as const;
  expect(lowerAddresses(data)).toEqual({ ...data, list: [toLowerAddress(usdc)] });
});

// A service whose scope changes reads the factories' logs again from the first block. A change of the venues, pricing assets
// or kinds of a chain changes its scope; then the new value belongs here.
test('keeps the scopes of pool indexes that are stored in databases', () => {
  expect([poolEventsOf('base').scope, poolEventsOf('polygon').scope, poolEventsOf('arbitrum').scope]).toEqual([
    '0x8b9171d5bc4c2cca0b387bb6b23b8a7d44ae05270d6b4adb02354f1d9c7c7bf0',
    '0x8be7659e07deb7365fb59bdcc8a245c000e4885928d7bbf33ff1a359ce1c57cf',
    '0xaf7f5b8faaab8ca0573076f66f979fc4c3c19bafbf5b86f0c1a042ca8a374f21',
  ]);
});
