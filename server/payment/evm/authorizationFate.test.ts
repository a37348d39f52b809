import { toHex } from 'viem';
import { expect, test } from 'vitest';
import { type ChainCall, ChainUnreachableError } from '../chainCall.ts';
import type { SignedAuthorization } from './authorization.ts';
import { readAuthorizationFate } from './authorizationFate.ts';

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const payment: SignedAuthorization = {
  from: '0x1111111111111111111111111111111111111111',
  to: '0x2222222222222222222222222222222222222222',
  value: 20_000n,
  validAfter: 0n,
  validBefore: 9n,
  nonce: `0x${'ab'.repeat(32)}`,
  signature: '0x',
};

/** A node on which the authorization is used from a block on, or not, and no log of it is there. */
function nodeAt(height: bigint, usedFrom?: bigint) {
  const asked: string[] = [];
  const isUsedAt = (block: unknown = 'latest') =>
    usedFrom !== undefined && (block === 'latest' || BigInt(String(block)) >= usedFrom);
  const call: ChainCall = async (method, params, shape) => {
    asked.push(method);
    const answers: Record<string, unknown> = {
      eth_call: `0x${(isUsedAt(params[1]) ? '1' : '0').padStart(64, '0')}`,
      eth_blockNumber: toHex(height),
      eth_getLogs: [],
    };
    return shape.parse(answers[method]);
  };
  return { call, asked };
}

test('default: unused, without a look at logs', async () => {
  const { call, asked } = nodeAt(10n);
  expect(await readAuthorizationFate(call, usdc, payment, 5n, 'latest')).toEqual({ kind: 'unused' });
  expect(asked).toEqual(['eth_call']);
});

test('behavior: used without a log yet is not told, after every block since has been asked for', async () => {
  const { call, asked } = nodeAt(9_000n, 70n);
  await expect(readAuthorizationFate(call, usdc, payment, 64n, 'latest')).rejects.toThrow(ChainUnreachableError);
  expect(asked.filter((method) => method === 'eth_getLogs')).toHaveLength(5);
});

test('behavior: used before it came to us, it is spent, and not looked for for ever', async () => {
  const { call } = nodeAt(9_000n, 8_000n);
  expect(await readAuthorizationFate(call, usdc, payment, 8_900n, 'latest')).toEqual({ kind: 'spent' });
});

test('error: ChainUnreachableError at once for a height that cannot be', async () => {
  const { call, asked } = nodeAt(2n ** 255n, 70n);
  await expect(readAuthorizationFate(call, usdc, payment, 5n, 'latest')).rejects.toThrow(/cannot be/);
  expect(asked).not.toContain('eth_getLogs');
});
