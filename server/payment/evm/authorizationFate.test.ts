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

/** A node on which the authorization is used or not, and no log of it is there. */
function nodeAt(height: bigint, isUsed: boolean) {
  const asked: string[] = [];
  const answers: Record<string, unknown> = {
    eth_call: `0x${(isUsed ? '1' : '0').padStart(64, '0')}`,
    eth_blockNumber: toHex(height),
    eth_getLogs: [],
  };
  const call: ChainCall = async (method, _params, shape) => {
    asked.push(method);
    return shape.parse(answers[method]);
  };
  return { call, asked };
}

test('default: unused, without a look at logs', async () => {
  const { call, asked } = nodeAt(10n, false);
  expect(await readAuthorizationFate(call, usdc, payment, 5n, 'latest')).toEqual({ kind: 'unused' });
  expect(asked).toEqual(['eth_call']);
});

test('behavior: used without a log yet is not told, after every block since has been asked for', async () => {
  const { call, asked } = nodeAt(9_000n, true);
  await expect(readAuthorizationFate(call, usdc, payment, 64n, 'latest')).rejects.toThrow(ChainUnreachableError);
  expect(asked.filter((method) => method === 'eth_getLogs')).toHaveLength(5);
});

test('error: ChainUnreachableError at once for a height that cannot be', async () => {
  const { call, asked } = nodeAt(2n ** 255n, true);
  await expect(readAuthorizationFate(call, usdc, payment, 5n, 'latest')).rejects.toThrow(/cannot be/);
  expect(asked).not.toContain('eth_getLogs');
});
