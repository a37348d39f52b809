import { type Address, encodeFunctionData, type Hex, zeroAddress } from 'viem';
import { executorArtifact } from '../../contracts/artifacts/executor/Executor.ts';
import { createWordReader } from '../../engine/chain/wordReader.ts';
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

const gasCap = 8_000_000n;

/** A call of `probe`: each plan is executed once, for its payer. */
export const probeCall = (plans: readonly PlanInput[], payers: readonly Address[]) => {
  const orders = plans.map(({ legs, tokenIn, tokenOut, amountIn }, index) => {
    const payer = payers[index] ?? zeroAddress;
    return { legs: BigInt(legs.length), gasCap, tokenIn, tokenOut, amountIn, payer, secondPayer: zeroAddress };
  });
  const query = { native: plans[0]?.native ?? zeroAddress, arbitrum: false };
  const args = [query, orders, plans.flatMap((plan) => toExecutorPlan(plan).legs)] as const;
  return { to: executorAddress, data: encodeFunctionData({ abi: executorArtifact.abi, functionName: 'probe', args }) };
};

/** The runs of a probe's answer, whose words `PlanProbes._write` describes. */
export function decodeProbe(answer: Hex, plans: readonly PlanInput[]) {
  const reader = createWordReader(answer);
  for (let word = 0; word < 10; word++) reader.big();
  return plans.map(({ legs }) => {
    const [status, index, reason, received, gas] = Array.from({ length: 5 }, () => reader.big());
    const fills = legs.map(() => ({
      amountIn: reader.big(),
      arrived: reader.big(),
      nominal: reader.big(),
      amountOut: reader.big(),
    }));
    return { status, index, reason, received: received ?? 0n, gas, legs: fills };
  });
}
