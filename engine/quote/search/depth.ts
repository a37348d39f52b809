import { continueTo } from './fillByParts.ts';
import type { Flow } from './flow.ts';

/** The lowest price that counts, relative to the order's. */
const minPriceRatio = 0.99;
/**
 * The order grows by `growthFactor` until its price falls too far; then interpolation finds the largest size to within
 * a factor of `tolerance`.
 */
const [growthFactor, tolerance] = [2, 1.02];
const maxSteps = 60;
/** Fraction of the interpolated step to take, so that the price there still meets the minimum. */
const stepPart = 0.9;
/**
 * The plan of an order has a limited number of legs and pays for their gas, so it can pay less than the grown split. Then a
 * smaller order is searched: interpolated, or by the next of these factors if no plan takes the order.
 */
const unfilledFactors = [0.97, 0.9, 0.7, 0.4, 0.1];
/** Part of a size to search first: rounding must not end in failure. */
const firstPart = 0.999;
/** Part of the interpolated distance from the order: prices of plans are no straight line, the less so the more the last one missed. */
const partAfter = (price: number) => 0.99 - (minPriceRatio - price) / (1 - minPriceRatio) / 2;
/** Work of growing the order; see `Work`. */
const growthWork = 8_000;

export interface Depth {
  /** Base units of tokenIn. */
  size: bigint;
  /** The work or the searches ended before a larger size could be confirmed. */
  isLowerBound: boolean;
}

interface GrowingOrder {
  amountIn: bigint;
  amountOut: bigint;
  /** The order's split; undefined if there is none. */
  flow: Flow | undefined;
  /** Output of the plan that a search chooses for a larger order; undefined if no plan takes it. */
  paidFor(amountIn: bigint): bigint | undefined;
  /** Whether the searches so far leave work for another one. */
  maySearch(): boolean;
}

/**
 * The largest input, in base units of tokenIn, whose price is at most 1 % below the order's price
 * (`amountOut` / `amountIn`).
 * Grows the split by marginal price. An amount counts only if a search for it pays enough, so depth is a lower bound.
 */
export function depthOf({ amountIn, amountOut, flow, paidFor, maySearch }: GrowingOrder): Depth {
  const grown = flow ? growTo(flow, Number(amountIn), Number(amountOut)) : 0;
  const isCut = flow !== undefined && flow.graph.work.left <= 0;
  let size = floor(grown * firstPart);
  for (const factor of unfilledFactors) {
    if (size <= amountIn) return { size: amountIn, isLowerBound: isCut };
    if (!maySearch()) break;
    const paid = paidFor(size);
    if (paid && paid * amountIn * 100n >= amountOut * size * 99n) return { size, isLowerBound: isCut };
    const price =
      paid === undefined ? undefined : (Number(paid) * Number(amountIn)) / (Number(amountOut) * Number(size));
    const distance = Number(size - amountIn);
    if (price === undefined) size = floor(Number(size) * factor);
    else size = amountIn + floor((distance * Math.max(0, partAfter(price)) * (1 - minPriceRatio)) / (1 - price));
  }
  return { size: amountIn, isLowerBound: true };
}

const floor = (amount: number) => BigInt(Math.floor(amount));

/** The largest input at which the growing split pays enough. */
function growTo(flow: Flow, amountIn: number, amountOut: number): number {
  const minPrice = (amountOut / amountIn) * minPriceRatio;
  const { work } = flow.graph;
  work.left = growthWork;
  let last = flow;
  let amount = amountIn;
  let price = amountOut / amountIn;
  let end: { amount: number; price: number } | undefined;
  for (let step = 0; step < maxSteps && work.left > 0 && !(end && end.amount < amount * tolerance); step++) {
    const size = end ? between(amount, price, end, minPrice) : amount * growthFactor;
    const next = continueTo(last, amount, size);
    const paid = next ? next.amountOut / size : 0;
    if (next && paid >= minPrice) [last, amount, price] = [next, size, paid];
    else end = { amount: size, price: paid };
  }
  return amount;
}

/** Interpolates a size between one that pays at least `minPrice` and one that does not, or that no route takes. */
function between(amount: number, price: number, end: { amount: number; price: number }, minPrice: number): number {
  const part = end.price > 0 ? ((price - minPrice) / (price - end.price)) * stepPart : 0.5;
  return amount + (end.amount - amount) * Math.min(0.9, Math.max(0.1, part));
}
