import fc from 'fast-check';
import type { Address } from 'viem';
import { expect, test } from 'vitest';
import { toLowerAddress } from '../../lowerAddress.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import type { QuoteAnswer, QuoteRequest } from '../quoteTypes.ts';
import {
  flagNative,
  isNativeCoin,
  nativeCoin,
  queryKey,
  toQuoteQuery,
  toToken,
  withWrappedNative,
} from './toQuoteQuery.ts';

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

const native = toLowerAddress(nativeCoin);
const token = toLowerAddress(`0x${'12'.repeat(20)}`);
const wrapped = deployments.polygon.wrappedNative;
const queryOf = (tokenIn: Address, tokenOut: Address) =>
  toQuoteQuery({ chain: 'polygon', tokenIn, tokenOut, size: { tokenIn: '1' } });

test('the address of ERC-7528 is the native coin, and its token is the wrapped one of the chain', () => {
  expect(native).toBe(`0x${'e'.repeat(40)}`);
  expect([isNativeCoin(native), isNativeCoin(wrapped)]).toEqual([true, false]);
  expect([toToken('polygon', native), toToken('polygon', token)]).toEqual([wrapped, token]);
  expect(toToken('base', native)).toBe(deployments.base.wrappedNative);
});

test('a query about the native coin becomes one about the wrapped token, on either side', () => {
  expect(withWrappedNative(queryOf(native, token))).toEqual(queryOf(wrapped, token));
  expect(withWrappedNative(queryOf(token, native))).toEqual(queryOf(token, wrapped));
});

const answer = {
  tokenIn: token,
  tokenOut: wrapped,
  flags: [{ code: 'NO_MID', severity: 'info', message: '' }],
} as unknown as QuoteAnswer;

test('each side that is the native coin has a flag before the others', () => {
  expect(flagNative(answer, queryOf(token, native)).flags).toEqual([
    {
      ...{ code: 'NATIVE_AS_WRAPPED', severity: 'info', facts: { which: 'tokenOut', wrappedNative: wrapped } },
      message: `tokenOut is the native coin, quoted as its wrapped token ${wrapped}: unwrap the output of the last swap, 1:1.`,
    },
    ...answer.flags,
  ]);
  const sold = flagNative({ ...answer, tokenIn: wrapped }, queryOf(native, token)).flags;
  expect(sold[0]).toMatchObject({
    facts: { which: 'tokenIn' },
    message: expect.stringContaining('wrap the coin before the first swap'),
  });
  expect(flagNative(answer, queryOf(token, wrapped))).toBe(answer);
});
