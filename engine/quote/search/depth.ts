import { improve } from './divide.ts';
import { fillPlan, type States } from './fillPlan.ts';
import type { Flow } from './flow.ts';
import type { Plan } from './planTypes.ts';
import { continueTo } from './pour.ts';
import { flowToPlan } from './toPlan.ts';

const fall = 0.99;
/** Growth of the order a step: coarse while the price is far from its end. */
const [coarse, fine] = [1.25, 1.04];
const mostSteps = 120;

/**
 * How much the market takes before the price falls 1 % below that of an order that pays `amountOut`. Continues to divide
 * the order by marginal price. An amount counts only if its computed fill confirms it, so depth is a lower bound.
 */
export function depthOf(
  order: Pick<Plan, 'tokenIn' | 'tokenOut' | 'amountIn'>,
  amountOut: bigint,
  flow: Flow | undefined,
  states: States,
): bigint {
  const amountIn = Number(order.amountIn);
  if (!flow) return order.amountIn;
  const least = (Number(amountOut) / amountIn) * fall;
  let last = flow;
  let amount = amountIn;
  for (let step = 0, growth = coarse; step < mostSteps; step++) {
    const next = continueTo(last, amount, amount * growth);
    if (next && next.amountOut / (amount * growth) >= least) {
      [last, amount] = [next, amount * growth];
      continue;
    }
    if (growth === fine) break;
    growth = fine;
  }
  if (last === flow) return order.amountIn;
  last.normalise();
  if (!last.forward(amount)) return order.amountIn;
  last = improve(last, amount, 20);
  for (const part of [1, 0.998, 0.99, 0.95]) {
    const size = BigInt(Math.floor(amount * part));
    if (size <= order.amountIn) break;
    const filled = fillPlan(flowToPlan(last, { ...order, amountIn: size }), states)?.filled;
    if (filled && filled.amountOut * order.amountIn * 100n >= amountOut * size * 99n) return size;
  }
  return order.amountIn;
}
