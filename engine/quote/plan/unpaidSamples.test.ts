import { decodeFunctionData, type Hex, parseAbi } from 'viem';
import { expect, test } from 'vitest';
import { testNode } from '../../../tests/support/engine/testNode.ts';
import { createLensCaller } from '../../chain/lensCall.ts';
import type { RpcCall } from '../../chain/rpcEndpoint.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { toCandidatePools } from '../../venues/families.ts';
import { kinds } from '../../venues/kinds.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import { executeUnpaid } from './executeUnpaid.ts';
import type { PlanRequest } from './executionTypes.ts';

const deployment = deployments.base;
const [tokenIn, tokenOut] = [deployment.wrappedNative, deployment.usdc];
const candidatePool = toCandidatePools(deployment.venues).find(({ kind }) => kind === kinds.v2);
if (!candidatePool) throw new TypeError('Base has no pairs.');
const pool: PoolRef = {
  candidatePool,
  id: '0x00000000000000000000000000000000000000b0',
  token0: tokenIn,
  token1: tokenOut,
};
const planOf = (amountIn: bigint): PlanRequest['plan'] => ({
  ...{ tokenIn, tokenOut, amountIn },
  legs: [{ pool, tokenIn, tokenOut, shareBps: 10_000 }],
});
// The function of contracts/lens/UnpaidLens.sol.
const abi = parseAbi([
  'struct Leg { uint256 kind; address pool; address tokenIn; address tokenOut; uint256 fee; int256 spacing; address hooks; uint256 limit; }',
  'struct Sale { uint256 amountIn; uint256 legs; Leg first; Leg second; }',
  'function sell(Sale[] sales, address native, bool arbitrum, uint256 salt)',
]);

/** The amounts that each call of the lens sells. */
async function soldIn(requests: readonly PlanRequest[]): Promise<bigint[][]> {
  const calls: RpcCall[] = [];
  const node = testNode(
    {
      chain: 'base',
      send: async (sent) => {
        calls.push(...sent.filter(({ method }) => method === 'eth_call'));
        return sent.map(() => ({ error: { code: -32_000, message: 'the test needs no answer' } }));
      },
    },
    { checked: true, baseFee: 1n },
  );
  await executeUnpaid({ lens: createLensCaller(), deployment }, requests, '0x10', node).catch(() => undefined);
  return calls.map(({ params }) => {
    const { data } = params[0] as { data: Hex };
    return decodeFunctionData({ abi, data }).args[0].map(({ amountIn }) => amountIn);
  });
}

test('samples and plans with a call of their own take no gas from the other plans', async () => {
  const requests: PlanRequest[] = [
    { plan: planOf(1_000n), again: true },
    { plan: planOf(100n), isSample: true },
    { plan: planOf(200n), isSample: true },
    { plan: planOf(999n), separateCall: true },
    { plan: planOf(998n) },
  ];
  expect(await soldIn(requests)).toEqual([
    [1_000n, 2_000n, 998n],
    [100n, 200n, 999n],
  ]);
});

test('plans alone are sold in one call', async () => {
  expect(await soldIn([{ plan: planOf(1_000n) }])).toEqual([[1_000n]]);
  expect(await soldIn([{ plan: planOf(1_000n), isSample: true }])).toEqual([[1_000n]]);
});
