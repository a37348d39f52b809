import { type Address, encodeFunctionData, getAddress, type Hex } from 'viem';
import { executorDeployment } from '../../contracts/artifacts/executor/deployment.ts';
import { executorArtifact } from '../../contracts/artifacts/executor/Executor.ts';
import { toPlanLeg } from '../../contracts/planLeg.ts';
import type { Plan } from './plan.ts';
import type { ChainRouters } from './routers.ts';

/** How the executor gets tokenIn, by the numbers of contracts/executor/ExecutorTypes.sol. */
const payments = { allowance: 0n, permit2: 1n, native: 2n } as const;

export interface ExecutorPayment {
  /** Default: `allowance`. `native`: the transaction's value pays, and tokenIn must be the wrapped native token. */
  payment?: keyof typeof payments;
  /** The receiver gets the native coin; tokenOut must be the wrapped native token. */
  nativeOut?: boolean;
  /** A signed allowance for the executor, as `Payment._permit` of contracts/executor/Payment.sol decodes it. */
  permit?: Hex;
}

export interface ExecutorOrder extends ExecutorPayment {
  plan: Plan;
  chain: ChainRouters;
  receiver: Address;
  minAmountOut: bigint;
  deadline: bigint;
}

/** Encodes `execute` of contracts/executor/Executor.sol. */
export function encodeExecutor(order: ExecutorOrder): { to: Address; data: Hex; value: bigint } {
  const { plan, chain, payment = 'allowance', nativeOut = false, permit = '0x' } = order;
  const { tokenIn, tokenOut, amountIn } = plan;
  const legs = plan.legs.map((leg) => toPlanLeg(leg, chain.poolManager));
  const common = { tokenIn, tokenOut, amountIn, native: chain.wrappedNative, nativeOut, permit, legs };
  const data = encodeFunctionData({
    abi: executorArtifact.abi,
    functionName: 'execute',
    args: [{ ...common, payment: payments[payment] }, order.minAmountOut, order.receiver, order.deadline],
  });
  const to = getAddress(executorDeployment.executor.address);
  return { to, data, value: payment === 'native' ? amountIn : 0n };
}
