import { type Hex, toFunctionSelector, zeroAddress } from 'viem';
import { addressesOf } from '../../pools/contractOf.ts';
import type { PlanLeg } from '../search/planTypes.ts';
import type { ExecutionQuery, FundedPlan } from './executionTypes.ts';

/** `prove` of contracts/lens/PlanLens.sol. */
export const proveSelector = toFunctionSelector(
  'function prove((address,bool,uint256) query, (uint256,uint256,address,address,uint256,address,address)[] orders, (uint256,address,address,address,uint256,int256,address,uint256)[] legs)',
);

/** Gas of one execution: far more than honest pools need. The lens also limits each plan to its share of the call's gas. */
const gasOfPlan = 2_000_000n;
const gasOfLeg = 1_000_000n;

/** `salt` must be random and new for each call: it prevents pools and tokens from forging results. */
export function encodeExecution({ wrappedNative, arbSys, plans }: ExecutionQuery, salt: bigint): Hex {
  const orders = plans.flatMap(toOrder);
  const legs = plans.flatMap(({ plan }) => plan.legs.flatMap(toLeg));
  const ordersAt = 5n * 32n;
  const legsAt = ordersAt + 32n + BigInt(orders.length) * 32n;
  const head = [BigInt(wrappedNative), arbSys ? 1n : 0n, salt, ordersAt, legsAt];
  const words = [...head, BigInt(plans.length), ...orders, BigInt(legs.length / 8), ...legs];
  return `${proveSelector}${words.map(toWord).join('')}`;
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

const toWord = (value: bigint) => value.toString(16).padStart(64, '0');
