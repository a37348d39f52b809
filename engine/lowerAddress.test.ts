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
    '0x71d5a229b2b01007b05c37dd9c0b8e6fc04bf81f9add6e7f87eab397c3c05455',
    '0xc7fef319abbc015ca59099c9cf19c6fadb2d67b4ce6eef8b815b2e93ec2c24c7',
  ]);
});
