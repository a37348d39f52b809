import { type Address, decodeAbiParameters, encodeFunctionData, type Hex, zeroAddress } from 'viem';
import { planLensArtifact } from '../../contracts/artifacts/lens/PlanLens.ts';
import { toPlanLeg } from '../../contracts/planLeg.ts';
import type { Plan } from '../trade/plan.ts';
import type { ChainRouters } from '../trade/routers.ts';

const gasOfPlan = 20_000_000n;
const headWords = 10;
const statuses = ['not executed', 'executed', 'partly filled', 'reverted', 'out of gas', 'not funded'] as const;

/** One execution of a plan by the lens. */
export interface Execution {
  status: (typeof statuses)[number] | 'unknown';
  /** Index of the leg at which the execution ended. */
  endedAt: number;
  received: bigint;
  legs: { amountIn: bigint; amountOut: bigint }[];
}

/** Encodes the call `probe` of contracts/lens/PlanProbes.sol for one plan. */
export function encodeExecution(plan: Plan, chain: ChainRouters, payer: Address): Hex {
  const { tokenIn, tokenOut, amountIn, legs } = plan;
  const order = {
    legs: BigInt(legs.length),
    gasCap: gasOfPlan,
    tokenIn,
    tokenOut,
    amountIn,
    payer,
    secondPayer: zeroAddress,
  };
  const query = { native: chain.wrappedNative, arbitrum: false };
  const lensLegs = legs.map((leg) => toPlanLeg(leg, chain.poolManager));
  const { abi } = planLensArtifact;
  return encodeFunctionData({ abi, functionName: 'probe', args: [query, [order], lensLegs] });
}

/** Decodes the result of `probe`; undefined if it does not have the length for this number of legs. */
export function decodeExecution(words: Hex, legCount: number): Execution | undefined {
  const count = headWords + 5 + 4 * legCount;
  if (words.length !== 2 + 64 * count) return undefined;
  const all = decodeAbiParameters(Array(count).fill({ type: 'uint256' }), words) as bigint[];
  const at = (index: number) => all[index] ?? 0n;
  return {
    status: statuses[Number(at(headWords))] ?? 'unknown',
    endedAt: Number(at(headWords + 1)),
    received: at(headWords + 3),
    legs: Array.from({ length: legCount }, (_, leg) => {
      const first = headWords + 5 + 4 * leg;
      return { amountIn: at(first), amountOut: at(first + 3) };
    }),
  };
}
