import type { Pool } from '../../venues/poolTypes.ts';
import { fillPlan, type States, statesOf } from '../search/fillPlan.ts';
import { deepestAlong } from '../search/midAlong.ts';
import type { FilledPlan, Plan } from '../search/planTypes.ts';
import type { SearchResult } from '../search/searchPlan.ts';
import type { PlanRequest } from './executionTypes.ts';

/** A plan with more gas than this gets a call of its own: plans in one call share its gas, and this one runs twice. */
const sharedCallGas = 2_500_000n;

/**
 * The plans to execute, the likeliest answer first. The last one executes the pools whose prices give the mid. Only plans
 * that may be the answer are executed twice.
 */
export function toRequests(result: SearchResult, amountIn: bigint, pools: readonly Pool[]): PlanRequest[] {
  const { best, single, runnerUp, opaque } = result;
  const plans = [best?.plan, single?.plan, runnerUp?.plan].filter((plan) => plan !== undefined);
  const requests: PlanRequest[] = [...new Set(plans)].map((plan) => ({
    plan: { ...plan, amountIn },
    again: plan === best?.plan,
    ...(plan === best?.plan && best.gas > sharedCallGas && { separateCall: true }),
  }));
  requests.push(...opaque.map((plan) => ({ plan: { ...plan, amountIn }, again: true, separateCall: true })));
  const executed = new Set(requests.flatMap(({ plan }) => plan.legs.map(({ pool }) => pool.id)));
  const mid = single && midPlan(single, pools);
  if (mid?.legs.some(({ pool }) => !executed.has(pool.id))) requests.push({ plan: mid });
  return requests;
}

/** The single route over the deepest pool of each hop, for as much of the order as these pools take. */
function midPlan({ plan, legs: filled }: FilledPlan, pools: readonly Pool[]): Plan | undefined {
  const deepest = deepestAlong(filled, pools);
  const legs = plan.legs.map((leg, index) => ({ ...leg, pool: deepest[index] ?? leg.pool }));
  if (legs.every(({ pool }, index) => pool.id === plan.legs[index]?.pool.id)) return undefined;
  return fitting({ ...plan, legs }, statesOf(pools));
}

function fitting(plan: Plan, states: States): Plan | undefined {
  for (const part of [1n, 16n, 256n, 4096n]) {
    const smaller = { ...plan, amountIn: plan.amountIn / part };
    if (fillPlan(smaller, states)) return smaller;
  }
  return undefined;
}
