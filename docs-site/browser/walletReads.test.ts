import { afterEach, expect, test, vi } from 'vitest';
import { findSizeProblem, readBalance } from './walletReads.ts';

afterEach(() => vi.useRealTimers());

const token = `0x${'11'.repeat(20)}`;
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;

/** A wallet on Base, with a token of 6 decimals and a supply of 1,000. */
const wallet = {
  request: async ({ method, params }: { method: string; params?: unknown }) => {
    if (method === 'eth_chainId') return '0x2105';
    const [{ data }] = params as [{ data: string }];
    return data === '0x313ce567' ? word(6n) : word(1_000_000_000n);
  },
};

test('default: a size above the supply, or below the smallest unit, is named; others are not', async () => {
  const problemOf = (size: string, chainId = 8453) => findSizeProblem(wallet, { token, size, chainId });
  expect(await problemOf('1000')).toBeUndefined();
  expect(await problemOf('1000.000001')).toContain('whole supply');
  expect(await problemOf('0.0000001')).toContain('smallest unit');
  expect(await problemOf('1000000', 137)).toBeUndefined();
});

test.each([
  ['rejects', () => Promise.reject(new Error('no'))],
  ['returns text', async () => 'none'],
  ['never replies', () => new Promise<never>(() => undefined)],
])('error: a wallet that %s stops nothing', async (_, request) => {
  vi.useFakeTimers();
  const read = readBalance({ request }, token, token);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await read).toBeUndefined();
});
