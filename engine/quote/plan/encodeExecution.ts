import { type Address, type Hex, toFunctionSelector, zeroAddress } from 'viem';
import { type FundingCall, randomAddress, type StateOverride, toPlacedCode } from '../../chain/lensCall.ts';
import { packCall } from '../../chain/packedWords.ts';
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

/**
 * Packs a call of the executor, which accepts ABI-encoded calls only. A contract of 118 bytes at a random address unpacks it,
 * as `packed` of contracts/lens/Packing.sol does, and calls the executor. Tokens see the executor as in any other call.
 */
export function packedThrough(executor: Address): { accounts: StateOverride; funder: FundingCall } {
  const address = randomAddress();
  const code = toPlacedCode({ runtime: unpackerOf(executor) });
  return { accounts: { [address]: { code } }, funder: { address, wrap: packCall } };
}

/** Instructions in the order in which they run. The stack holds the end of the written memory and the position in calldata. */
const unpackerOf = (target: Address): Hex =>
  `0x${[
    '600460045f37', // calldatacopy(0, 4, 4): the selector
    '60046008', // end = 4, position = 8
    '5b36811015604a57', // while position < calldatasize
    '80355f1a', // head = byte(0, calldataload(position))
    '80602010603a57', // if head > 32, go to `repeat`
    '8160010135', // raw = calldataload(position + 1)
    '8160031b610100031c', // word = raw >> (256 - 8 * head)
    '5b8352', // store: mstore(end, word)
    '01600101', // position += head + 1
    '9060200190600a56', // end += 32, next
    '5b6020900360051b820351', // repeat: word = mload(end - 32 * (head - 32))
    '5f90602b56', // head = 0, go to `store`
    `5b505f5f825f5f73${target.slice(2)}5af1`, // call(gas, target, 0, 0, end, 0, 0)
    '3d5f5f3e', // returndatacopy(0, 0, returndatasize)
    '6072573d5ffd5b3d5ff3', // return or revert with it
  ].join('')}`;
