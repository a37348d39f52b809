import { encodeFunctionData, zeroAddress } from 'viem';
import { expect, test } from 'vitest';
import { executorArtifact } from '../../../contracts/artifacts/executor/Executor.ts';
import { planLensArtifact } from '../../../contracts/artifacts/lens/PlanLens.ts';
import { addressOf, poolOf, routeOver, tokenA, tokenB, tokenC } from '../../../tests/support/engine/testProbe.ts';
import { kinds } from '../../venues/kinds.ts';
import { encodeExecution } from './encodeExecution.ts';
import type { FundedPlan } from './executionTypes.ts';

const native = addressOf('e');
const [payer, second] = [addressOf('1'), addressOf('2')];
const direct = poolOf(addressOf('5'));
const slipstream = poolOf(addressOf('6'), [tokenA, tokenC], { kind: kinds.slipstream, fee: 0, tickSpacing: -200 });
const manager = addressOf('4');
const v4 = poolOf(`0x${'7'.repeat(64)}`, [tokenC, tokenB], {
  ...{ family: 'uniswap-v4', venue: 'uniswap-v4', kind: kinds.v4, factory: manager },
  ...{ fee: 3_000, tickSpacing: 60, hooks: addressOf('8') },
});
const plans: FundedPlan[] = [
  { plan: routeOver([direct], 7n), payer, secondPayer: second },
  { plan: routeOver([slipstream, v4], 2n ** 255n), payer },
];

/** The same call, encoded by viem with the ABI of a compiled contract. */
function encodedByViem(abi: typeof planLensArtifact.abi | typeof executorArtifact.abi, arbitrum: boolean) {
  const legOf = (kind: number, pool: `0x${string}`, fee: number, spacing: number, hooks: `0x${string}`) => ({
    ...{ kind: BigInt(kind), pool, fee: BigInt(fee), spacing: BigInt(spacing), hooks, shareBps: 10_000n },
  });
  const orders = [
    { legs: 1n, gasCap: 6_000_000n, tokenIn: tokenA, tokenOut: tokenB, amountIn: 7n, payer, secondPayer: second },
    {
      ...{ legs: 2n, gasCap: 4_000_000n, tokenIn: tokenA, tokenOut: tokenB, amountIn: 2n ** 255n },
      ...{ payer, secondPayer: zeroAddress },
    },
  ];
  const legs = [
    { ...legOf(kinds.v3, direct.id as `0x${string}`, 500, 0, zeroAddress), tokenIn: tokenA, tokenOut: tokenB },
    { ...legOf(kinds.slipstream, addressOf('6'), 0, -200, zeroAddress), tokenIn: tokenA, tokenOut: tokenC },
    { ...legOf(kinds.v4, manager, 3_000, 60, addressOf('8')), tokenIn: tokenC, tokenOut: tokenB },
  ];
  const args = [{ native, arbitrum }, orders, legs] as const;
  return encodeFunctionData({ abi: abi as typeof planLensArtifact.abi, functionName: 'probe', args });
}

test.each([
  ['the plan lens', planLensArtifact.abi],
  ['the executor', executorArtifact.abi],
])('encodes plans as the ABI of %s', (_, abi) => {
  for (const arbSys of [false, true])
    expect(encodeExecution({ wrappedNative: native, arbSys, plans })).toBe(encodedByViem(abi, arbSys));
});

test('encodes no plan as empty lists', () => {
  const args = [{ native, arbitrum: false }, [], []] as const;
  const expected = encodeFunctionData({ abi: planLensArtifact.abi, functionName: 'probe', args });
  expect(encodeExecution({ wrappedNative: native, arbSys: false, plans: [] })).toBe(expected);
});
