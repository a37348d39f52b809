import { expect, test } from 'vitest';
import { walletOf } from './walletOf.ts';

test('EVM addresses are one wallet in any spelling; base58 is case-sensitive', () => {
  expect(walletOf({ network: 'eip155:137', payer: '0xAbC' })).toBe('0xabc');
  expect(walletOf({ network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', payer: 'AbC' })).toBe('AbC');
});
