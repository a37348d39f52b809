import { perDirection, type SwapResult } from '../poolModel.ts';
import { type FullStep, stepToTarget, stepWithin } from './swapStep.ts';
import { maxSqrtPrice, maxTick, minSqrtPrice, minTick, sqrtPriceAtTick, tickAtSqrtPrice } from './tickMaths.ts';

/** An initialised tick. */
export interface Tick {
  index: number;
  liquidityNet: bigint;
}

/** A concentrated pool: Uniswap v3 and its forks, Slipstream, PancakeSwap v3, Algebra, Uniswap v4 without a hook. */
export interface ConcentratedState {
  kind: 'concentrated';
  rule: 'uniswap-v3' | 'uniswap-v4' | 'algebra-v1' | 'algebra-integral';
  sqrtPriceX96: bigint;
  tick: number;
  liquidity: bigint;
  tickSpacing: number;
  /** Millionths of the input that a swap is charged, protocol fee included: when token0 is sold, when token1 is sold. */
  feePips: readonly [number, number];
  /** The initialised ticks from `knownFrom` to `knownTo`, ascending. Ticks outside this range were not read. */
  ticks: readonly Tick[];
  knownFrom: number;
  knownTo: number;
}

const lowestLimit = minSqrtPrice + 1n;
const highestLimit = maxSqrtPrice - 1n;
const maxInt128 = (1n << 127n) - 1n;
const maxInt256 = (1n << 255n) - 1n;
const ticksInWord = 256;

/** State of a swap at the end of a full step, after crossing its tick. */
interface Reached {
  /** Sums from the start of the swap, fee included. */
  amountIn: bigint;
  amountOut: bigint;
  sqrtPriceX96: bigint;
  tick: number;
  liquidity: bigint;
  /** Index in `ticks` of the next initialised tick. */
  ahead: number;
  crossed: number;
}

/**
 * The full steps of a swap in one direction, as far as earlier sizes reached. A full step is the same for every size,
 * so sizes share the steps and each computes only its last, partial one.
 */
interface Path {
  /** Starts with the state itself. */
  reached: Reached[];
  /** Why no full step follows: the price limit, or the end of the known ticks. */
  end?: 'limit' | 'unknown';
}

/**
 * Uniswap v3 and its forks, Slipstream, PancakeSwap v3, Algebra, Uniswap v4 without a hook. They differ in their steps: all
 * stop at the edges of bitmap words, where amounts are rounded, except Algebra Integral, which has a list of ticks.
 * Not exact for Algebra Integral, whose plugin can charge another fee than `fee()`: execute swaps of those pools.
 * Do not change the state afterwards: its steps are cached for the next size.
 */
export function swapConcentrated(
  state: ConcentratedState,
  zeroForOne: boolean,
  amountIn: bigint,
): SwapResult<ConcentratedState> | undefined {
  const feePips = feeOf(state, zeroForOne);
  const maxAmount = state.rule === 'uniswap-v4' ? maxInt128 : maxInt256;
  if (amountIn <= 0n || amountIn > maxAmount || !canMove(state, zeroForOne)) return undefined;
  const path = pathOf(state, zeroForOne);
  const next = firstReaching(state, zeroForOne, path, amountIn);
  const full = path.reached[next];
  if (full?.amountIn === amountIn) return toResult(state, full, full, maxAmount);

  const from = path.reached[next - 1] as Reached;
  if (!full && (path.end === 'limit' || from.liquidity === 0n)) return undefined;
  const last = stepWithin(from.sqrtPriceX96, from.liquidity, zeroForOne, amountIn - from.amountIn, feePips);
  // Liquidity beyond the last known tick is unknown, but the swap may end before it.
  if (!full && isBeyondKnown(state, zeroForOne, last.sqrtPriceX96)) return undefined;
  const tick = last.sqrtPriceX96 === from.sqrtPriceX96 ? from.tick : tickAtSqrtPrice(last.sqrtPriceX96);
  const { sqrtPriceX96 } = last;
  return toResult(state, from, { sqrtPriceX96, tick, amountOut: from.amountOut + last.amountOut }, maxAmount);
}

/**
 * Input, fee included, and output until the pool's price reaches `limit`, a square root as Q64.96. A lower bound if the
 * known ticks end before `limit`.
 */
export function swapToPrice(state: ConcentratedState, zeroForOne: boolean, limit: bigint): FullStep {
  if (!canMove(state, zeroForOne)) return { amountIn: 0n, amountOut: 0n };
  const isShortOf = (price: bigint) => (zeroForOne ? price > limit : price < limit);
  const path = pathOf(state, zeroForOne);
  let at = 0;
  while (at + 1 < path.reached.length || extend(state, zeroForOne, path)) {
    if (!isShortOf((path.reached[at + 1] as Reached).sqrtPriceX96)) break;
    at += 1;
  }
  const { amountIn, amountOut, sqrtPriceX96, liquidity } = path.reached[at] as Reached;
  const target = at + 1 < path.reached.length ? limit : nearestKnown(state, zeroForOne, path, limit);
  if (zeroForOne ? target >= sqrtPriceX96 : target <= sqrtPriceX96) return { amountIn, amountOut };
  const last = stepToTarget(sqrtPriceX96, target, liquidity, zeroForOne, feeOf(state, zeroForOne));
  return { amountIn: amountIn + last.amountIn, amountOut: amountOut + last.amountOut };
}

const feeOf = (state: ConcentratedState, zeroForOne: boolean) => BigInt(state.feePips[zeroForOne ? 0 : 1]);

/** The pools reject a swap whose price limit is not ahead of the price; v4 allows a fee of 100 %, which pays nothing. */
function canMove({ sqrtPriceX96, feePips }: ConcentratedState, zeroForOne: boolean): boolean {
  if (feePips[zeroForOne ? 0 : 1] >= 1_000_000) return false;
  return zeroForOne
    ? sqrtPriceX96 > lowestLimit && sqrtPriceX96 < maxSqrtPrice
    : sqrtPriceX96 >= minSqrtPrice && sqrtPriceX96 < highestLimit;
}

const pathOf = perDirection((state: ConcentratedState, zeroForOne): Path => {
  const { sqrtPriceX96, tick, liquidity } = state;
  const start = { amountIn: 0n, amountOut: 0n, sqrtPriceX96, tick, liquidity, ahead: tickAhead(state, zeroForOne) };
  return { reached: [{ ...start, crossed: 0 }] };
});

/** Index of the last tick at or below the current one, or of the first above it. */
function tickAhead({ ticks, tick }: ConcentratedState, zeroForOne: boolean): number {
  let [low, high] = [0, ticks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ticks[middle] as { index: number }).index <= tick) low = middle + 1;
    else high = middle;
  }
  return zeroForOne ? low - 1 : low;
}

/** Index of the first full step that takes `amountIn` or more in all; the number of steps if there is none. */
function firstReaching(state: ConcentratedState, zeroForOne: boolean, path: Path, amountIn: bigint): number {
  const { reached } = path;
  while ((reached[reached.length - 1] as Reached).amountIn < amountIn) {
    if (!extend(state, zeroForOne, path)) return reached.length;
  }
  let [low, high] = [1, reached.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((reached[middle] as Reached).amountIn < amountIn) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Adds the next full step to the path; false when there is none. */
function extend(state: ConcentratedState, zeroForOne: boolean, path: Path): boolean {
  if (path.end) return false;
  const from = path.reached[path.reached.length - 1] as Reached;
  const target = nextTick(state, zeroForOne, from);
  if (target < state.knownFrom || target > state.knownTo) {
    path.end = 'unknown';
    return false;
  }
  const isEdge = target === (zeroForOne ? minTick : maxTick);
  const sqrtPriceX96 = isEdge ? (zeroForOne ? lowestLimit : highestLimit) : sqrtPriceAtTick(target);
  const step = stepToTarget(from.sqrtPriceX96, sqrtPriceX96, from.liquidity, zeroForOne, feeOf(state, zeroForOne));
  const reached: Reached = {
    amountIn: from.amountIn + step.amountIn,
    amountOut: from.amountOut + step.amountOut,
    sqrtPriceX96,
    tick: zeroForOne && !isEdge ? target - 1 : target - (isEdge && !zeroForOne ? 1 : 0),
    liquidity: from.liquidity,
    ahead: from.ahead,
    crossed: from.crossed,
  };
  const tick = state.ticks[from.ahead];
  if (tick?.index === target && !isEdge) {
    reached.liquidity += zeroForOne ? -tick.liquidityNet : tick.liquidityNet;
    reached.ahead += zeroForOne ? -1 : 1;
    reached.crossed += 1;
  }
  if (isEdge || reached.liquidity < 0n) path.end = 'limit';
  // Inconsistent state: the liquidity would become negative.
  if (reached.liquidity < 0n) return false;
  path.reached.push(reached);
  return true;
}

/**
 * The next tick at which the pool's loop stops. Without liquidity nothing is rounded, so the edges of words are
 * skipped.
 */
function nextTick({ rule, tickSpacing, ticks }: ConcentratedState, zeroForOne: boolean, from: Reached): number {
  const ahead = ticks[from.ahead]?.index ?? (zeroForOne ? minTick : maxTick);
  if (rule === 'algebra-integral' || from.liquidity === 0n) return ahead;
  const compressed = Math.floor(from.tick / tickSpacing) + (zeroForOne ? 0 : 1);
  const word = Math.floor(compressed / ticksInWord) * ticksInWord;
  const edge = (zeroForOne ? word : word + ticksInWord - 1) * tickSpacing;
  return zeroForOne ? Math.max(ahead, edge, minTick) : Math.min(ahead, edge, maxTick);
}

function isBeyondKnown({ knownFrom, knownTo }: ConcentratedState, zeroForOne: boolean, sqrtPriceX96: bigint): boolean {
  return zeroForOne
    ? sqrtPriceX96 < sqrtPriceAtTick(Math.max(knownFrom, minTick))
    : sqrtPriceX96 > sqrtPriceAtTick(Math.min(knownTo, maxTick));
}

/** `limit`, or the end of what is known if that comes first. */
function nearestKnown(state: ConcentratedState, zeroForOne: boolean, { end }: Path, limit: bigint): bigint {
  if (end === 'limit') return zeroForOne ? lowestLimit : highestLimit;
  if (!isBeyondKnown(state, zeroForOne, limit)) return limit;
  return sqrtPriceAtTick(zeroForOne ? Math.max(state.knownFrom, minTick) : Math.min(state.knownTo, maxTick));
}

function toResult(
  state: ConcentratedState,
  { liquidity, crossed }: Reached,
  { sqrtPriceX96, tick, amountOut }: { sqrtPriceX96: bigint; tick: number; amountOut: bigint },
  maxAmount: bigint,
): SwapResult<ConcentratedState> | undefined {
  if (amountOut > maxAmount) return undefined;
  return { amountOut, state: { ...state, sqrtPriceX96, tick, liquidity }, ticksCrossed: crossed };
}
