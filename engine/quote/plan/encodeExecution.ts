import { type Hex, toFunctionSelector, zeroAddress } from 'viem';
import { encodeWords } from '../../chain/words.ts';
import { addressesOf } from '../../pools/contractOf.ts';
import type { PlanLeg } from '../search/planTypes.ts';
import type { ExecutionQuery, FundedPlan } from './executionTypes.ts';

/** `probe` of contracts/lens/PlanProbes.sol, which the executor and the plan lens share. */
export const probeSelector = toFunctionSelector(
  'function probe((address,bool) query, (uint256,uint256,address,address,uint256,address,address)[] orders, (uint256,address,address,address,uint256,int256,address,uint256)[] legs)',
);

/** Gas of one execution: far more than honest pools need. The lens also limits each plan to its share of the call's gas. */
const gasOfPlan = 2_000_000n;
const gasOfLeg = 1_000_000n;

export function encodeExecution({ wrappedNative, arbSys, plans }: ExecutionQuery): Hex {
  const orders = plans.flatMap(toOrder);
  const legs = plans.flatMap(({ plan }) => plan.legs.flatMap(toLeg));
  const ordersAt = 4n * 32n;
  const legsAt = ordersAt + 32n + BigInt(orders.length) * 32n;
  const head = [BigInt(wrappedNative), arbSys ? 1n : 0n, ordersAt, legsAt];
  const words = [...head, BigInt(plans.length), ...orders, BigInt(legs.length / 8), ...legs];
  return encodeWords(probeSelector, words);
}

function toOrder({ plan, payer, secondPayer = zeroAddress }: FundedPlan): bigint[] {
  const runs = secondPayer === zeroAddress ? 1n : 2n;
  const gasCap = runs * (gasOfPlan + BigInt(plan.legs.length) * gasOfLeg);
  const { tokenIn, tokenOut, amountIn, legs } = plan;
  return [BigInt(legs.length), gasCap, BigInt(tokenIn), BigInt(tokenOut), amountIn, BigInt(payer), BigInt(secondPayer)];
}

function toLeg({ pool: ref, tokenIn, tokenOut, shareBps }: PlanLeg): bigint[] {
  const { kind, fee, tickSpacing } = ref.candidatePool;
  const { swapsAt, hooksOf } = addressesOf(ref);
  return [
    BigInt(kind),
    BigInt(swapsAt(ref)),
    BigInt(tokenIn),
    BigInt(tokenOut),
    BigInt(fee),
    BigInt.asUintN(256, BigInt(tickSpacing)),
    BigInt(hooksOf(ref)),
    BigInt(shareBps),
  ];
}
