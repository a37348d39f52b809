import type { Flow } from './flow.ts';
import type { Edge } from './network.ts';

/** Shares count as balanced if the marginal returns of a token's legs differ by less than this fraction. */
const balanceTolerance = 1e-6;
/** A round over all tokens is the last one if it raises the output by at most this fraction: a fiftieth of a basis point. */
const leastRoundGain = 2e-7;
/** Moves within a token before the next token's turn, because each of them changes what the other tokens are worth. */
const movesPerToken = 4;
/** If a move does not raise the output, the next one is smaller by this factor, down to a part of the leg's input. */
const [shrinkFactor, smallestMove] = [6, 1e-6];
/** Moves between two legs that pools accept, but that do not raise the output. */
const maxTries = 5;
/** A move past the optimum is corrected if the gap between the marginal returns is still above this part, reversed. */
const smallOvershoot = 0.05;
/** Steps that halve the interval of a pool's spare capacity. */
const capacitySteps = 16;
/** Input over which the fall of a marginal return is measured: parts of the leg's and of the token's input. */
const [bendOfLeg, bendOfToken] = [1e-3, 1e-4];

/**
 * Moves shares from the leg of a token with the lowest marginal return to the one with the highest, as long as the output
 * rises.
 * @param reserve work to leave
 */
export function improve(flow: Flow, amountIn: number, maxMoves: number, reserve = 0): Flow {
  const { order, from, work } = flow.graph;
  let best = flow;
  let moves = 0;
  let before: number;
  do {
    before = best.amountOut;
    for (const token of [...order].reverse()) {
      if (!((best.total[token] as number) > 0) || (from[token] as readonly Edge[]).length < 2) continue;
      for (let tries = 0; tries < movesPerToken && moves < maxMoves && work.left > reserve; tries++) {
        moves++;
        const next = moveShare(best, token, amountIn);
        if (!next) break;
        best = next;
      }
    }
  } while (best.amountOut - before > best.amountOut * leastRoundGain);
  return best;
}

/** Moves a share between two legs of a token; undefined if no move raises the output. */
function moveShare(flow: Flow, token: number, amountIn: number): Flow | undefined {
  flow.setValues();
  const { sold, more, less, value } = flow;
  let worst: Edge | undefined;
  let best: Edge | undefined;
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const edge of flow.graph.from[token] as readonly Edge[]) {
    const { index, to } = edge;
    const lost = (less[index] as number) * (value[to] as number);
    if ((sold[index] as number) > 0 && lost < least) [worst, least] = [edge, lost];
    const gained = (more[index] as number) * (value[to] as number);
    if (gained > most) [best, most] = [edge, gained];
  }
  if (!worst || !best || worst === best || least > most * (1 - balanceTolerance)) return undefined;
  return moveBetween(flow, worst, best, most - least, amountIn);
}

/** @param gap difference of the legs' marginal returns */
function moveBetween(flow: Flow, worst: Edge, best: Edge, gap: number, amountIn: number): Flow | undefined {
  const movable = flow.sold[worst.index] as number;
  let moved = fitting(flow, best, Math.min(movable, newtonStep(flow, worst, best, gap)));
  for (let tries = 0; tries < maxTries && moved > movable * smallestMove; moved /= shrinkFactor) {
    const next = withMoved(flow, worst, best, moved, amountIn);
    if (!next) continue;
    tries++;
    const overshot = worthOf(worst, next) - worthOf(best, next);
    // Past the optimum: interpolate the point of equal marginal returns.
    const between =
      overshot > gap * smallOvershoot
        ? withMoved(flow, worst, best, (moved * gap) / (gap + overshot), amountIn)
        : undefined;
    const better = between && between.amountOut > next.amountOut ? between : next;
    if (better.amountOut > flow.amountOut) return better;
  }
  return undefined;
}

/** The part of `amount` that a leg's pool takes on top of what it sells. */
function fitting(flow: Flow, { index, curve }: Edge, amount: number): number {
  const sold = flow.sold[index] as number;
  if (curve.pay(sold + amount) >= 0) return amount;
  flow.graph.work.left -= capacitySteps;
  let [fits, exceeds] = [0, amount];
  for (let step = 0; step < capacitySteps; step++) {
    const middle = (fits + exceeds) / 2;
    if (curve.pay(sold + middle) >= 0) fits = middle;
    else exceeds = middle;
  }
  return fits;
}

const worthOf = (edge: Edge, { sold, value }: Flow) =>
  edge.curve.slope(sold[edge.index] as number) * (value[edge.to] as number);

function withMoved(flow: Flow, worst: Edge, best: Edge, moved: number, amountIn: number): Flow | undefined {
  const next = flow.copy();
  const share = next.share[worst.index] as number;
  const part = Math.min(share, moved / (flow.total[worst.from] as number));
  next.share[worst.index] = share - part;
  next.share[best.index] = (next.share[best.index] as number) + part;
  startToken(next, best.to);
  return next.forward(amountIn, flow) ? next : undefined;
}

/**
 * Estimates, by curvature alone, the amount to move until both legs have equal marginal returns; Infinity if both
 * curves are straight.
 */
function newtonStep(flow: Flow, worst: Edge, best: Edge, gap: number): number {
  flow.graph.work.left -= 4;
  return gap / (bendOf(worst, flow) + bendOf(best, flow));
}

/** Fall of a leg's marginal return for each unit of input. */
function bendOf({ index, from, to, curve }: Edge, flow: Flow): number {
  const sold = flow.sold[index] as number;
  const step = Math.max(sold * bendOfLeg, (flow.total[from] as number) * bendOfToken);
  return Math.max(0, ((curve.slope(sold) - curve.slope(sold + step)) * (flow.value[to] as number)) / step);
}

/** Sells a token that no leg sells yet through the leg with the highest return for the first unit. */
function startToken(flow: Flow, token: number): void {
  if ((flow.total[token] as number) > 0) return;
  const edges = flow.graph.from[token] as readonly Edge[];
  let best: Edge | undefined;
  let most = 0;
  for (const edge of edges) {
    const worth = edge.curve.slope(0) * (flow.value[edge.to] as number);
    if (worth > most) [best, most] = [edge, worth];
  }
  for (const { index } of edges) flow.share[index] = 0;
  if (best) {
    flow.share[best.index] = 1;
    startToken(flow, best.to);
  }
}
