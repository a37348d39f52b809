import { continueTo } from './fillByParts.ts';
import { fillPlan, type States } from './fillPlan.ts';
import type { Flow } from './flow.ts';
import type { FilledPlan, Plan } from './planTypes.ts';
import { toExecutable } from './prune.ts';
import { improve } from './split.ts';
import { flowToPlan, isSingle } from './toPlan.ts';

/** The lowest price that counts, relative to the order's. */
const minPriceRatio = 0.99;
/**
 * The order grows by `growthFactor` until its price falls too far; then interpolation finds the largest size to within
 * a factor of `tolerance`.
 */
const [growthFactor, tolerance] = [2, 1.04];
const maxSteps = 60;
/** Fraction of the interpolated step to take, so that the price there still meets the minimum. */
const stepPart = 0.9;
/** Fractions of the computed depth to confirm with exact swaps: floating point can overshoot the ticks that were read. */
const depthFractions = [0.999, 0.99, 0.97, 0.95, 0.9, 0.8, 0.5, 0.25, 0.1, 0.01];

interface GrowingOrder extends Pick<Plan, 'tokenIn' | 'tokenOut' | 'amountIn'> {
  /** The plan that a quote of the split's amount reports: a single route if the split does not gain enough. */
  answerOf(split: FilledPlan): FilledPlan;
}

/**
 * The largest input, in base units of tokenIn, whose price is at most 1 % below the order's price
 * (`amountOut` / `amountIn`).
 * Grows the split by marginal price. An amount counts only if its computed fill confirms it, so depth is a lower bound.
 */
export function depthOf(order: GrowingOrder, amountOut: bigint, flow: Flow | undefined, states: States): bigint {
  const amountIn = Number(order.amountIn);
  if (!flow) return order.amountIn;
  const minPrice = (Number(amountOut) / amountIn) * minPriceRatio;
  let last = flow;
  let amount = amountIn;
  let price = Number(amountOut) / amountIn;
  let end: { amount: number; price: number } | undefined;
  for (let step = 0; step < maxSteps && !(end && end.amount < amount * tolerance); step++) {
    const size = end ? between(amount, price, end, minPrice) : amount * growthFactor;
    const next = continueTo(last, amount, size);
    const paid = next ? next.amountOut / size : 0;
    if (next && paid >= minPrice) [last, amount, price] = [next, size, paid];
    else end = { amount: size, price: paid };
  }
  if (last === flow) return order.amountIn;
  last.normalise();
  if (!last.forward(amount)) return order.amountIn;
  last = toExecutable(improve(last, amount, 20), amount);
  for (const fraction of depthFractions) {
    const size = BigInt(Math.floor(amount * fraction));
    if (size <= order.amountIn) break;
    const larger = { ...order, amountIn: size };
    const filled = fillPlan(flowToPlan(last, larger), states)?.filled;
    const counts = (plan: FilledPlan) => plan.amountOut * order.amountIn * 100n >= amountOut * size * 99n;
    if (filled && counts(filled) && (isSingle(filled.plan) || counts(order.answerOf(filled)))) return size;
  }
  return order.amountIn;
}

/** Interpolates a size between one that pays at least `minPrice` and one that does not, or that no route takes. */
function between(amount: number, price: number, end: { amount: number; price: number }, minPrice: number): number {
  const part = end.price > 0 ? ((price - minPrice) / (price - end.price)) * stepPart : 0.5;
  return amount + (end.amount - amount) * Math.min(0.9, Math.max(0.1, part));
}
