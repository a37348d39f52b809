import { type Address, encodeFunctionData, type Hex, parseAbi, zeroAddress } from 'viem';
import { toPlanLeg } from '../../../contracts/planLeg.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { Leg } from '../quoteTypes.ts';

/** `execute` of contracts/executor/IExecutor.sol. The artifact also contains its code, which the service does not need. */
const executeAbi = parseAbi([
  'struct PlanLeg { uint256 kind; address pool; address tokenIn; address tokenOut; uint256 fee; int256 spacing; address hooks; uint256 shareBps; }',
  'struct ExecutorPlan { address tokenIn; address tokenOut; uint256 amountIn; address native; uint256 payment; bool nativeOut; bytes permit; PlanLeg[] legs; }',
  'function execute(ExecutorPlan plan, uint256 minAmountOut, address to, uint256 deadline) payable returns (uint256)',
]);

/** A leg of a plan, without the amounts of the quote. */
export type SwapLeg = Omit<Leg, 'amountIn' | 'amountOut'>;

interface Execute {
  tokenIn: Address;
  tokenOut: Address;
  amountIn: bigint;
  legs: readonly SwapLeg[];
  wrappedNative: LowerAddress;
  /** Uniswap v4's manager; undefined if the chain has none. */
  poolManager: LowerAddress | undefined;
  minAmountOut: bigint;
  receiver: Address;
  deadline: bigint;
}

/** The calldata of `execute`, paid by the caller's allowance. */
export function encodeExecute(order: Execute): Hex {
  const { tokenIn, tokenOut, amountIn, wrappedNative: native, poolManager = zeroAddress } = order;
  const legs = order.legs.map((leg) => toPlanLeg(leg, poolManager));
  const plan = { tokenIn, tokenOut, amountIn, native, payment: 0n, nativeOut: false, permit: '0x', legs } as const;
  const args = [plan, order.minAmountOut, order.receiver, order.deadline] as const;
  return encodeFunctionData({ abi: executeAbi, functionName: 'execute', args });
}
