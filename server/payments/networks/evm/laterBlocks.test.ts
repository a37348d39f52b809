import { pad } from 'viem';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Chain, RpcRequests } from '../../chainCall.ts';
import { simulateLaterBlocks } from './contractWallets.ts';

// The later blocks of a simulation at the block intervals of real chains. contractWallets.test.ts tests the results.

const now = 1_800_000_000n;
beforeEach(() => void vi.useFakeTimers({ now: Number(now) * 1_000 }));
afterEach(() => void vi.useRealTimers());

const payment = {
  ...{ from: pad('0x3', { size: 20 }), to: pad('0x4', { size: 20 }), value: 20_000n, validAfter: 0n },
  ...{ validBefore: now + 100n, nonce: pad('0x5'), signature: '0xabcd' as const },
};

/** Distance in blocks and in seconds of each simulated block from a head of number 50. */
async function simulatedBlocks(blockMs: number): Promise<[blocks: number, seconds: number][]> {
  const simulated: [number, number][] = [];
  const callAllVerified = async (...requests: RpcRequests) => {
    for (const [, params] of requests.slice(1)) {
      const { number, time } = params[3] as { number: string; time: string };
      simulated.push([Number(number) - 50, Number(BigInt(time) - now)]);
    }
    return requests.map(() => '0x');
  };
  await simulateLaterBlocks(
    {
      chain: { callAllVerified: callAllVerified as unknown as Chain['callAllVerified'] },
      ...{ chainId: 8453, account: pad('0x1', { size: 20 }), asset: pad('0x2', { size: 20 }) },
      interval: { readMs: async () => blockMs },
    },
    payment,
    {
      ...{ gas: 150_000n, head: 50n },
      fees: { maxFeePerGas: 7n, maxPriorityFeePerGas: 3n, height: 50n, timestamp: now },
    },
  );
  return simulated;
}

test.each([
  [
    'blocks of 200 ms, of which five share a second',
    200,
    [
      [1, 0],
      [2, 0],
      [3, 0],
      [4, 0],
      [5, 1],
      [8, 1],
      [10, 2],
      [20, 4],
      [40, 8],
      [80, 16],
    ],
  ],
  [
    'blocks of 1.75 s',
    1_750,
    [
      [1, 1],
      [2, 3],
      [3, 5],
      [4, 7],
      [5, 8],
      [8, 14],
      [10, 17],
    ],
  ],
  [
    'blocks of 2 s',
    2_000,
    [
      [1, 2],
      [2, 4],
      [3, 6],
      [4, 8],
      [8, 16],
    ],
  ],
])('simulates the next blocks, and those up to 16 seconds later, with %s', async (_name, blockMs, expected) => {
  expect(await simulatedBlocks(blockMs)).toEqual(expected);
});
