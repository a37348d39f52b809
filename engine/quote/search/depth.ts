import { fillPlan, type States } from './fillPlan.ts';
import type { Flow } from './flow.ts';
import type { Plan } from './planTypes.ts';
import { continueTo } from './pour.ts';
import { improve } from './split.ts';
import { flowToPlan } from './toPlan.ts';

const fall = 0.99;
/**
 * The order grows by the factor `coarse` until its price falls too far; then interpolation finds the end to within a
 * factor of `fine`.
 */
const [coarse, fine] = [2, 1.04];
const maxSteps = 60;
/** Part of the interpolated step that is taken, so that the order still pays enough there. */
const stepPart = 0.9;
/** Parts of the depth that exact swaps try, because a sum in doubles can exceed the known ticks of a pool. */
const parts = [0.999, 0.99, 0.95, 0.8, 0.5];

/**
 * The largest input before the price falls 1 % below that of an order that pays `amountOut`, in base units of tokenIn.
 * Grows the split by marginal price. An amount counts only if its computed fill confirms it, so depth is a lower bound.
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
  let price = Number(amountOut) / amountIn;
  let end: { amount: number; price: number } | undefined;
  for (let step = 0; step < maxSteps && !(end && end.amount < amount * fine); step++) {
    const size = end ? between(amount, price, end, least) : amount * coarse;
    const next = continueTo(last, amount, size);
    const paid = next ? next.amountOut / size : 0;
    if (next && paid >= least) [last, amount, price] = [next, size, paid];
    else end = { amount: size, price: paid };
  }
  if (last === flow) return order.amountIn;
  last.normalise();
  if (!last.forward(amount)) return order.amountIn;
  last = improve(last, amount, 20);
  for (const part of parts) {
    const size = BigInt(Math.floor(amount * part));
    if (size <= order.amountIn) break;
    const filled = fillPlan(flowToPlan(last, { ...order, amountIn: size }), states)?.filled;
    if (filled && filled.amountOut * order.amountIn * 100n >= amountOut * size * 99n) return size;
  }
  return order.amountIn;
}

/** Interpolates a size between one that pays at least `least` and one that does not, or that no route takes. */
function between(amount: number, price: number, end: { amount: number; price: number }, least: number): number {
  const part = end.price > 0 ? ((price - least) / (price - end.price)) * stepPart : 0.5;
  return amount + (end.amount - amount) * Math.min(0.9, Math.max(0.1, part));
}
