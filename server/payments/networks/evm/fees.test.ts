import { expect, test } from 'vitest';
import { createScriptedChain } from '../../../../tests/support/scriptedChain.ts';
import { ChainUnreachableError } from '../../chainCall.ts';
import { highest, lowest, readFees, toFees } from './fees.ts';

const gwei = 10n ** 9n;
const block = { number: 7n, timestamp: 9n, baseFeePerGas: 5n * gwei };

test('the maximum fee is twice the base fee and the tip', () => {
  expect(toFees(8453, block, 2n * gwei)).toEqual({
    maxFeePerGas: 12n * gwei,
    maxPriorityFeePerGas: 2n * gwei,
    height: 7n,
    timestamp: 9n,
  });
});

test.each([
  ['Base', 8453, 10n],
  ['Arbitrum', 42161, 10n],
  ['Polygon', 137, 2_000n],
])('a tip that a node suggests is limited on %s', (_name, chainId, limit) => {
  expect(toFees(chainId, block, limit * gwei)).toMatchObject({ maxPriorityFeePerGas: limit * gwei });
  const capped = toFees(chainId, block, 10_000n * gwei);
  expect(capped).toMatchObject({ maxPriorityFeePerGas: limit * gwei, maxFeePerGas: (10n + limit) * gwei });
});

test.each([undefined, null])('a block without a base fee (%s) needs the tip only', (baseFeePerGas) => {
  expect(toFees(8453, { ...block, baseFeePerGas }, 3n)).toMatchObject({ maxFeePerGas: 3n, maxPriorityFeePerGas: 3n });
});

test('lowest and highest compare', () => {
  expect([lowest(1n, 2n), lowest(2n, 1n), lowest(2n, 2n)]).toEqual([1n, 1n, 2n]);
  expect([highest(1n, 2n), highest(2n, 1n), highest(2n, 2n)]).toEqual([2n, 2n, 2n]);
});

test("reads the block from a node whose network is verified, and the node's tip", async () => {
  const { chain, requests } = createScriptedChain({
    eth_getBlockByNumber: { number: '0x7', timestamp: '0x9', baseFeePerGas: '0x64' },
    eth_maxPriorityFeePerGas: '0x3',
  });
  expect(await readFees(chain, 8453)).toEqual({
    maxFeePerGas: 203n,
    maxPriorityFeePerGas: 3n,
    height: 7n,
    timestamp: 9n,
  });
  expect(requests).toEqual([
    { method: 'eth_getBlockByNumber', params: ['latest', false], isVerified: true },
    { method: 'eth_maxPriorityFeePerGas', params: [], isVerified: false },
  ]);
});

test('error: the fees cannot be read', async () => {
  const { chain } = createScriptedChain({
    eth_getBlockByNumber: { number: '0x7', timestamp: '0x9' },
    eth_maxPriorityFeePerGas: new ChainUnreachableError('down'),
  });
  await expect(readFees(chain, 8453)).rejects.toThrow('down');
});
