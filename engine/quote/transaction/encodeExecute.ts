import { type Address, encodeFunctionData, type Hex, parseAbi, size, sliceHex, zeroAddress } from 'viem';
import type { LowerAddress } from '../../lowerAddress.ts';
import { kinds } from '../../venues/kinds.ts';
import type { Leg } from '../quoteTypes.ts';

/** `execute` of contracts/executor/IExecutor.sol. The artifact also contains its code, which the service does not need. */
const executeAbi = parseAbi([
  'struct PlanLeg { uint256 kind; address pool; address tokenIn; address tokenOut; uint256 fee; int256 spacing; address hooks; uint256 shareBps; }',
  'struct ExecutorPlan { address tokenIn; address tokenOut; uint256 amountIn; address native; uint256 payment; bool nativeOut; bytes permit; PlanLeg[] legs; }',
  'function execute(ExecutorPlan plan, uint256 minAmountOut, address to, uint256 deadline) payable returns (uint256)',
]);

/** Families with one kind of swap. The look-ups of a family's kinds differ, its swaps do not. */
const swapKinds = {
  'uniswap-v2': kinds.v2,
  'uniswap-v3': kinds.v3,
  algebra: kinds.algebra,
  solidly: kinds.solidly,
  'balancer-v2': kinds.weighted,
  'uniswap-v4': kinds.v4,
} as const;

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

function toPlanLeg(leg: SwapLeg, poolManager: Address) {
  const { dex, pool, poolKey, tokenIn, tokenOut, feePips, shareBps } = leg;
  const common = { tokenIn, tokenOut, shareBps: BigInt(shareBps) };
  if (poolKey) {
    const { currency0, fee, tickSpacing, hooks } = poolKey;
    const kind = BigInt(currency0 === zeroAddress ? kinds.v4Native : kinds.v4);
    return { ...common, kind, pool: poolManager, fee: BigInt(fee), spacing: BigInt(tickSpacing), hooks };
  }
  // A pool id of Balancer's vault is the pool's address and 12 further bytes.
  const isId = size(pool) === 32;
  const hooks = isId ? (`0x${'0'.repeat(16)}${sliceHex(pool, 20).slice(2)}` as const) : zeroAddress;
  const contract = isId ? sliceHex(pool, 0, 20) : pool;
  return { ...common, kind: BigInt(swapKinds[dex]), pool: contract, fee: BigInt(feePips), spacing: 0n, hooks };
}
