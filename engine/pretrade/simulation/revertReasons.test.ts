import { concatHex, encodeErrorResult, type Hex, numberToHex, padHex, parseAbi, stringToHex } from 'viem';
import { expect, test } from 'vitest';
import { pairStandInArtifact } from '../../../contracts/artifacts/lens/PairStandIn.ts';
import { base, plan, wrapped } from '../../../tests/support/engine/testPlan.ts';
import { fromSimulation } from './fromSimulation.ts';
import { planScenarios } from './planScenarios.ts';
import type { Scenario } from './simulationTypes.ts';
import { type SimulationLayout, toSimulation } from './toSimulation.ts';

/** A simulation whose every step reverted. */
function everyStepReverts({ later, firstTimestamp, baseFee }: SimulationLayout, revert: object): object[] {
  const words = [2n, firstTimestamp, baseFee ?? 0n].map((word) => numberToHex(word, { size: 32 }));
  const probe = { status: '0x1', returnData: concatHex(words) };
  return [
    { number: '0x2', timestamp: numberToHex(firstTimestamp), calls: [probe] },
    ...later.map(({ timestamp, steps }, index) => ({
      number: numberToHex(index + 3),
      timestamp: numberToHex(timestamp),
      calls: steps.map(() => ({ status: '0x0', gasUsed: '0x5208', ...revert })),
    })),
  ];
}

const refused = encodeErrorResult({
  abi: parseAbi(['error Refused(uint256 stage, uint256 sent, uint256 arrived, uint256 length, bytes32 head)']),
  args: [3n, 7n, 5n, 100n, padHex(stringToHex('UniswapV2: K'), { dir: 'right', size: 32 })],
});

test.each<[string, object]>([
  ['as return data (anvil)', { returnData: refused, error: { code: -3200, message: 'execution failed' } }],
  [
    'in the error (go-ethereum)',
    { returnData: '0x' satisfies Hex, error: { code: 3, message: 'execution reverted', data: refused } },
  ],
])('the reason of a revert is read if the node returns it %s', (_, revert) => {
  expect(refusalsOf(revert)).toEqual([
    JSON.stringify({ stage: 'pool-refused', text: 'UniswapV2: K', sent: '7', arrived: '5' }),
  ]);
});

test.each(['BalanceUnread', 'PoolUnread'])('a stand-in that reverts with %s could not read a balance', (errorName) => {
  const data = encodeErrorResult({
    abi: parseAbi(['error BalanceUnread()', 'error PoolUnread()']),
    errorName,
  } as never);
  expect(pairStandInArtifact.runtime).toContain(data.slice(2));
  expect(refusalsOf({ returnData: data })).toEqual([
    JSON.stringify({ stage: 'balance-unreadable', text: null, sent: '0', arrived: '0' }),
  ]);
});

/** The different refusals of a simulation whose steps all revert. */
function refusalsOf(revert: object): string[] {
  const [scenario] = planScenarios([plan], base, { brief: true }) as [Scenario];
  const { layout } = toSimulation(scenario, base, wrapped);
  const result = fromSimulation(scenario, layout, everyStepReverts(layout, revert));
  const refusals = result.status === 'ran' ? result.steps.map(({ result: step }) => step.ok || step.refusal) : [];
  return [...new Set(refusals.map((refusal) => JSON.stringify(refusal, toText)))];
}

const toText = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);
