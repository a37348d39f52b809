import type { Address } from 'viem';
import { expect, test } from 'vitest';
import { toLowerAddress } from '../../lowerAddress.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import type { QuoteAnswer } from '../quoteTypes.ts';
import { flagNative, isNativeCoin, nativeCoin, toToken, withWrappedNative } from './nativeCoin.ts';
import { toQuoteQuery } from './toQuoteQuery.ts';

const native = toLowerAddress(nativeCoin);
const token = toLowerAddress(`0x${'12'.repeat(20)}`);
const wrapped = deployments.polygon.wrappedNative;
const query = (tokenIn: Address, tokenOut: Address) =>
  toQuoteQuery({ chain: 'polygon', tokenIn, tokenOut, size: { tokenIn: '1' } });

test('the address of ERC-7528 is the native coin, and its token is the wrapped one of the chain', () => {
  expect(native).toBe(`0x${'e'.repeat(40)}`);
  expect([isNativeCoin(native), isNativeCoin(wrapped)]).toEqual([true, false]);
  expect([toToken('polygon', native), toToken('polygon', token)]).toEqual([wrapped, token]);
  expect(toToken('base', native)).toBe(deployments.base.wrappedNative);
});

test('a query about the native coin becomes one about the wrapped token, on either side', () => {
  expect(withWrappedNative(query(native, token))).toEqual(query(wrapped, token));
  expect(withWrappedNative(query(token, native))).toEqual(query(token, wrapped));
});

const answer = {
  tokenIn: token,
  tokenOut: wrapped,
  flags: [{ code: 'NO_MID', severity: 'info', message: '' }],
} as unknown as QuoteAnswer;

test('each side that is the native coin has a flag before the others', () => {
  expect(flagNative(answer, query(token, native)).flags).toEqual([
    {
      ...{ code: 'NATIVE_AS_WRAPPED', severity: 'info', facts: { which: 'tokenOut', wrappedNative: wrapped } },
      message: `tokenOut is the native coin, quoted as its wrapped token ${wrapped}: unwrap the output of the last swap, 1:1.`,
    },
    ...answer.flags,
  ]);
  const sold = flagNative({ ...answer, tokenIn: wrapped }, query(native, token)).flags;
  expect(sold[0]).toMatchObject({
    facts: { which: 'tokenIn' },
    message: expect.stringContaining('wrap the coin before the first swap'),
  });
  expect(flagNative(answer, query(token, wrapped))).toBe(answer);
});
