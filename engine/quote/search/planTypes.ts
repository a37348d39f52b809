import type { LowerAddress } from '../../lowerAddress.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';

/** A sale of an exact amount, in base units. */
export interface Order {
  tokenIn: LowerAddress;
  tokenOut: LowerAddress;
  amountIn: bigint;
}

/** A token sold and a token bought. */
export type TokenPair = Pick<Order, 'tokenIn' | 'tokenOut'>;

/** One swap of a plan. Amounts are base units. */
export interface PlanLeg extends TokenPair {
  pool: PoolRef;
  /**
   * This leg's part of the plan's total sale of `tokenIn`, in basis points. The parts of one token sum to 10000. Each leg
   * sells floor(total × shareBps / 10000); the last leg of a token sells the rest.
   */
  shareBps: number;
}

/**
 * Legs in an executable order: every leg that buys a token comes before the first one that sells it. The first leg sells
 * the query's tokenIn, and the last leg buys its tokenOut.
 */
export interface Plan extends Order {
  legs: readonly PlanLeg[];
}

/** A leg with the amounts that it sold and bought. */
export interface FilledLeg extends PlanLeg {
  /** Sent into the pool. */
  amountIn: bigint;
  /** Received from the pool. */
  amountOut: bigint;
}

/** A plan with its result, computed or executed. */
export interface FilledPlan {
  plan: Plan;
  legs: readonly FilledLeg[];
  amountOut: bigint;
  /** Gas of the swaps: an estimate after the search, measured by the execution. */
  gas: bigint;
}

/** A plan over sampled pools that the next quote of the market executes in its first request. */
export interface RememberedPlan {
  plan: Plan;
  /** It was the answer, so it is executed twice. */
  isBest: boolean;
}
