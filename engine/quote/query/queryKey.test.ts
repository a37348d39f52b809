import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toLowerAddress } from '../../lowerAddress.ts';
import type { QuoteRequest } from '../quoteTypes.ts';
import { queryKey } from './queryKey.ts';
import { toQuoteQuery } from './toQuoteQuery.ts';

const keyOf = (request: QuoteRequest) => queryKey(toQuoteQuery(request));

const address = fc.stringMatching(/^[0-9a-f]{40}$/).map((hex) => toLowerAddress(`0x${hex}`));
const size = fc.stringMatching(/^[1-9][0-9]{0,8}(\.[0-9]{0,8}[1-9])?$/);
const query = fc.record({
  chain: fc.constantFrom('base' as const, 'polygon' as const, 'arbitrum' as const),
  tokenIn: address,
  tokenOut: address,
  size: fc.oneof(fc.record({ tokenIn: size }), fc.record({ usd: size })) as fc.Arbitrary<QuoteRequest['size']>,
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
      expect(keyOf(respelled)).toBe(keyOf(original));
    }),
  );
});

test('behavior: any other difference changes the key', () => {
  fc.assert(
    fc.property(query, query, (one, other) => {
      expect(keyOf(one) === keyOf(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
    }),
  );
  fc.assert(
    fc.property(query, size, (original, another) => {
      const [inTokens, inUsd] = [{ tokenIn: another }, { usd: another }];
      expect(keyOf({ ...original, size: inTokens })).not.toBe(keyOf({ ...original, size: inUsd }));
      const reversed = { ...original, tokenIn: original.tokenOut, tokenOut: original.tokenIn };
      if (original.tokenIn !== original.tokenOut) expect(keyOf(reversed)).not.toBe(keyOf(original));
    }),
  );
});

test('behavior: a query is in its normal form, and is not converted again', () => {
  fc.assert(
    fc.property(query, (request) => {
      const converted = toQuoteQuery(request);
      expect(toQuoteQuery(converted)).toBe(converted);
    }),
  );
});
