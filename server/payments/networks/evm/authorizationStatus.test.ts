import { toHex } from 'viem';
import { expect, test } from 'vitest';
import { type ChainCall, ChainUnreachableError, JsonRpcError } from '../../chainCall.ts';
import type { SignedAuthorization } from './authorization.ts';
import { readAuthorizationStatus } from './authorizationStatus.ts';

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

/** A node without logs. `usedFrom`: the block in which the authorization was used; undefined if it was not. */
function nodeAt(height: bigint, usedFrom?: bigint) {
  const methods: string[] = [];
  const isUsedAt = (block: unknown = 'latest') =>
    usedFrom !== undefined && (block === 'latest' || BigInt(String(block)) >= usedFrom);
  const call: ChainCall = async (method, params, shape) => {
    methods.push(method);
    const results: Record<string, unknown> = {
      eth_call: `0x${(isUsedAt(params[1]) ? '1' : '0').padStart(64, '0')}`,
      eth_blockNumber: toHex(height),
      eth_getLogs: [],
    };
    return shape.parse(results[method]);
  };
  return { call, methods };
}

test('returns unused without reading logs', async () => {
  const { call, methods } = nodeAt(10n);
  expect(await readAuthorizationStatus(call, usdc, payment, 5n, 'latest')).toEqual({ kind: 'unused' });
  expect(methods).toEqual(['eth_call']);
});

test('error: ChainUnreachableError, after one log request, when the authorization is used and its log is missing', async () => {
  const { call, methods } = nodeAt(9_000n, 70n);
  await expect(readAuthorizationStatus(call, usdc, payment, 64n, 'latest')).rejects.toThrow(ChainUnreachableError);
  expect(methods.filter((method) => method === 'eth_getLogs')).toHaveLength(1);
});

test.each([undefined, 99_000n])(
  'behavior: spent when the authorization was used before the searched blocks (since: %s)',
  async (since) => {
    const { call, methods } = nodeAt(100_000n, 8_000n);
    expect(await readAuthorizationStatus(call, usdc, payment, since, 'latest')).toEqual({
      kind: 'spent',
      spent: { usedBefore: 85_000n },
    });
    expect(methods.filter((method) => method === 'eth_getLogs')).toHaveLength(1);
  },
);

test('splits the range into at most eight requests when the node rejects long ranges', async () => {
  const { call: unlimitedCall, methods } = nodeAt(100_000n, 8_000n);
  const spans: bigint[] = [];
  const call: ChainCall = async (method, params, shape) => {
    if (method === 'eth_getLogs') {
      const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }];
      const span = BigInt(toBlock) - BigInt(fromBlock) + 1n;
      spans.push(span);
      if (span > 2_000n) throw new JsonRpcError(-32_005, 'range too large', undefined);
    }
    return unlimitedCall(method, params, shape);
  };
  expect(await readAuthorizationStatus(call, usdc, payment, undefined, 'latest')).toMatchObject({ kind: 'spent' });
  expect(spans).toEqual([15_001n, ...Array(7).fill(2_000n), 1_001n]);
  expect(methods.filter((method) => method === 'eth_getLogs')).toHaveLength(8);
});

test('error: ChainUnreachableError without a log request when the block height is impossible', async () => {
  const { call, methods } = nodeAt(2n ** 255n, 70n);
  await expect(readAuthorizationStatus(call, usdc, payment, 5n, 'latest')).rejects.toThrow(/impossible block height/);
  expect(methods).not.toContain('eth_getLogs');
});

test('searches from 64 blocks before `since`, also beyond the usual range', async () => {
  const { call } = nodeAt(100_000n, 40_000n);
  expect(await readAuthorizationStatus(call, usdc, payment, 50_000n, 'latest')).toEqual({
    kind: 'spent',
    spent: { usedBefore: 49_936n },
  });
});
