import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lowerAddresses, toLowerAddress } from '../../lowerAddress.ts';
import type { QuoteQuery } from '../quoteTypes.ts';
import { queryKey } from './queryKey.ts';

const address = fc.stringMatching(/^[0-9a-f]{40}$/).map((hex) => toLowerAddress(`0x${hex}`));
const size = fc.stringMatching(/^[1-9][0-9]{0,8}(\.[0-9]{0,8}[1-9])?$/);
const query: fc.Arbitrary<QuoteQuery> = fc.record({
  chain: fc.constantFrom('base', 'polygon', 'arbitrum'),
  tokenIn: address,
  tokenOut: address,
  size: fc.oneof(fc.record({ tokenIn: size }), fc.record({ usd: size })),
});
const zeros = fc.nat(6).map((count) => '0'.repeat(count));
const upper = (text: `0x${string}`) => `0x${text.slice(2).toUpperCase()}` as const;
const padded = (text: string, more: string) => (text.includes('.') ? text + more : `${text}.0${more}`);

test('default: letter case and trailing zeros do not change the key', () => {
  fc.assert(
    fc.property(query, zeros, (original, more) => {
      const respelled = {
        chain: original.chain,
        tokenIn: upper(original.tokenIn),
        tokenOut: upper(original.tokenOut),
        size:
          'usd' in original.size
            ? { usd: padded(original.size.usd, more) }
            : { tokenIn: padded(original.size.tokenIn, more) },
      };
      expect(queryKey(lowerAddresses<QuoteQuery>(respelled))).toBe(queryKey(original));
    }),
  );
});

test('behavior: any other difference changes the key', () => {
  fc.assert(
    fc.property(query, query, (one, other) => {
      expect(queryKey(one) === queryKey(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
    }),
  );
  fc.assert(
    fc.property(query, size, (original, another) => {
      const [inTokens, inUsd] = [{ tokenIn: another }, { usd: another }];
      expect(queryKey({ ...original, size: inTokens })).not.toBe(queryKey({ ...original, size: inUsd }));
      const reversed = { ...original, tokenIn: original.tokenOut, tokenOut: original.tokenIn };
      if (original.tokenIn !== original.tokenOut) expect(queryKey(reversed)).not.toBe(queryKey(original));
    }),
  );
});
