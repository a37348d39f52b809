import type { Address, Hex } from 'viem';
import type { FilledPlan, Plan, PlanLeg } from '../search/planTypes.ts';

/**
 * How one execution of a plan ended, by the numbers of contracts/lens/PlanTypes.sol. `not-run`: no gas was left for it, or
 * the execution before it failed. `partial`: a pool took less than was sent. `unfunded`: the payer did not hold the size.
 */
export const runStatuses = ['not-run', 'filled', 'partial', 'reverted', 'out-of-gas', 'unfunded'] as const;
type RunStatus = (typeof runStatuses)[number];

/** Amounts of a leg in base units. All zero if it was not executed. */
export interface ExecutedLeg {
  /** Sent into the pool. */
  amountIn: bigint;
  /** Received by the pool: less if the token taxes the sale. */
  arrived: bigint;
  /** Sent by the pool, as it reports. */
  nominal: bigint;
  /** Received from the pool: less than `nominal` if the token taxes the purchase. */
  amountOut: bigint;
}

/** One execution of a plan. */
export interface PlanRun {
  status: RunStatus;
  /** Index of the leg that failed or took a part; undefined if the plan failed outside of its legs. */
  failedLeg: number | undefined;
  /** The first four bytes of the error; `0x00000000` without one. */
  reason: Hex;
  /** Output by the receiver's balance. */
  received: bigint;
  gas: bigint;
  legs: readonly ExecutedLeg[];
}

/** A plan and its results in one call of the lens. */
export interface PlanExecution {
  plan: Plan;
  run: PlanRun;
  /** The same plan executed right after the first; undefined if not requested. */
  again: PlanRun | undefined;
  /** The deployed executor was called. Known when the call is sent: the executor's state may change before the answer. */
  byExecutor?: true;
  /** The same call read the pools first, which warms their storage: the gas is a lower bound. */
  isWarm?: true;
  /** No account was funded with tokenIn, so its transfer to the first pool was not executed. */
  isUnpaid?: true;
}

/** What one execution of a plan paid. */
export interface Fill extends FilledPlan, Pick<PlanExecution, 'byExecutor' | 'isWarm' | 'isUnpaid'> {
  legs: readonly (PlanLeg & ExecutedLeg)[];
  /** Output of the same order right after this one, at most `amountOut`; undefined if that does not fill. */
  secondAmountOut?: bigint | undefined;
}

/** Results of plans at one block. `funded`: false if the account that was to pay could not. */
export interface Execution {
  executions: readonly PlanExecution[];
  funded: boolean;
}

/**
 * Executes plans of one trade at one block: with funded accounts, or unpaid if no account can be funded.
 * @param done executions of the same trade at this block
 */
export type Execute = (plans: readonly PlanRequest[], done: readonly PlanExecution[]) => Promise<Execution>;

/** The node's result for a set of plans at one block. */
export interface ExecutionReading extends Execution {
  blockNumber: bigint;
  timestamp: bigint;
  /** `0x00…` where the chain does not return it to contracts. */
  parentHash: Hex;
  balance: bigint;
  allowance: bigint;
  /** Of tokenIn; 0 if unreadable. */
  supply: bigint;
  gasUsed: bigint;
}

/** A plan with the accounts that sell it in the call. */
export interface FundedPlan {
  plan: Plan;
  /** Holds exactly the plan's amountIn, approved the lens, and receives tokenOut. */
  payer: Address;
  /** Executes the plan again after the first execution. */
  secondPayer?: Address | undefined;
}

/** One call of the lens: the query, and the data for checking the answer. */
export interface ExecutionQuery {
  wrappedNative: Address;
  arbSys: boolean;
  plans: readonly FundedPlan[];
  /** The call is one of the deployed executor. */
  byExecutor?: boolean;
}

/** A plan to execute. All plans of a call sell the same tokenIn; their amounts may differ. */
export interface PlanRequest {
  plan: Plan;
  /** Also execute the plan a second time right after the first, for the worst case. */
  again?: boolean;
  /** Execute it in another call of the same request, so that it takes no gas from the other plans. */
  separateCall?: boolean;
  /** A part of the order that only shows a pool's curve. Samples share a call and an account that holds the largest part. */
  isSample?: boolean;
}
