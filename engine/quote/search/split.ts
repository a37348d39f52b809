import { type Flow, nearby } from './flow.ts';
import type { Edge } from './network.ts';

/** Shares count as balanced if the marginal returns of a token's legs differ by less than this fraction. */
const balanceTolerance = 1e-6;

const none: ReadonlySet<number> = new Set();

/**
 * Moves shares from the leg of a token with the lowest marginal return to the one with the highest, as long as the output
 * rises.
 * @param closed indices of edges that receive no share
 */
export function improve(flow: Flow, amountIn: number, maxMoves: number, closed = none): Flow {
  const { order, from } = flow.graph;
  let best = flow;
  let moves = 0;
  // Limit the rounds too: if a curve returns NaN, neither the number of moves nor the gain would end the loop.
  for (let round = 0; round < 40 && moves < maxMoves; round++) {
    const before = best.amountOut;
    for (const token of [...order].reverse()) {
      if (!((best.total[token] as number) > 0) || (from[token] as readonly Edge[]).length < 2) continue;
      for (let tries = 0; tries < 4 && moves < maxMoves; tries++) {
        moves++;
        const next = moveShare(best, token, amountIn, closed);
        if (!next) break;
        best = next;
      }
    }
    if (best.amountOut - before <= best.amountOut * 2e-7) break;
  }
  return best;
}

function moveShare(flow: Flow, token: number, amountIn: number, closed: ReadonlySet<number>): Flow | undefined {
  flow.setValues();
  const edges = flow.graph.from[token] as readonly Edge[];
  let worst: Edge | undefined;
  let best: Edge | undefined;
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const edge of edges) {
    const sold = flow.sold[edge.index] as number;
    if (sold === 0) continue;
    const worth = edge.curve.slope(sold * (1 - nearby)) * (flow.value[edge.to] as number);
    if (worth < least) [worst, least] = [edge, worth];
  }
  for (const edge of edges) {
    if (closed.has(edge.index)) continue;
    const worth = flow.priceOfMore(edge) * (flow.value[edge.to] as number);
    if (worth > most) [best, most] = [edge, worth];
  }
  if (!worst || !best || worst === best || least > most * (1 - balanceTolerance)) return undefined;

  const movable = flow.sold[worst.index] as number;
  const gap = most - least;
  let moved = Math.min(movable, newtonStep(flow, worst, best, gap));
  for (let tries = 0; tries < 5; tries++, moved /= 6) {
    const next = withMoved(flow, worst, best, moved, amountIn);
    if (!next) continue;
    const overshot = worthOf(worst, next) - worthOf(best, next);
    // Past the optimum: interpolate the point of equal marginal returns.
    const between =
      overshot > gap * 0.05 ? withMoved(flow, worst, best, (moved * gap) / (gap + overshot), amountIn) : undefined;
    const better = between && between.amountOut > next.amountOut ? between : next;
    if (better.amountOut > flow.amountOut) return better;
  }
  return undefined;
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
  return next.forward(amountIn) ? next : undefined;
}

/**
 * Estimates, by curvature alone, the amount to move until both legs have equal marginal returns; Infinity if both
 * curves are straight.
 */
function newtonStep(flow: Flow, worst: Edge, best: Edge, gap: number): number {
  const bend = (edge: Edge) => {
    const sold = flow.sold[edge.index] as number;
    const step = Math.max(sold * 1e-3, (flow.total[edge.from] as number) * 1e-4);
    const value = flow.value[edge.to] as number;
    return Math.max(0, ((edge.curve.slope(sold) - edge.curve.slope(sold + step)) * value) / step);
  };
  return gap / (bend(worst) + bend(best));
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
