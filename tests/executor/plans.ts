import { type Address, encodeFunctionData, type Hex, zeroAddress } from 'viem';
import { executorArtifact } from '../../contracts/artifacts/executor/Executor.ts';
import { executorAddress } from './openMarket.ts';

export const kinds = { weighted: 0n, v2: 1n, v3: 2n, solidly: 5n, v4: 8n, v4Native: 9n } as const;

export interface LegInput {
  kind: bigint;
  pool: Address;
  tokenIn: Address;
  tokenOut: Address;
  fee?: bigint;
  shareBps?: bigint;
  spacing?: bigint;
  hooks?: Address;
}

export interface PlanInput {
  tokenIn: Address;
  tokenOut: Address;
  amountIn: bigint;
  native: Address;
  legs: readonly LegInput[];
  payment?: bigint;
  nativeOut?: boolean;
  permit?: Hex;
}

/** The plan in the form of the executor's ABI. */
const toExecutorPlan = ({ payment = 0n, nativeOut = false, permit = '0x', ...plan }: PlanInput) => ({
  ...plan,
  payment,
  nativeOut,
  permit,
  legs: plan.legs.map(({ fee = 3000n, shareBps = 10_000n, spacing = 0n, hooks = zeroAddress, ...leg }) => ({
    ...leg,
    fee,
    shareBps,
    spacing,
    hooks,
  })),
});

export interface ExecuteInput {
  plan: PlanInput;
  to: Address;
  min?: bigint;
  deadline?: bigint;
  value?: bigint;
}

/** A call of `execute`. */
export const executeCall = ({ plan, to, min = 1n, deadline = 2n ** 40n, value = 0n }: ExecuteInput) => ({
  to: executorAddress,
  value,
  data: encodeFunctionData({
    abi: executorArtifact.abi,
    functionName: 'execute',
    args: [toExecutorPlan(plan), min, to, deadline],
  }),
});

/** A call of `probe`. */
export const probeCall = (plans: readonly PlanInput[], payers: readonly Address[]) => ({
  to: executorAddress,
  data: encodeFunctionData({
    abi: executorArtifact.abi,
    functionName: 'probe',
    args: [plans.map(toExecutorPlan), payers],
  }),
});
