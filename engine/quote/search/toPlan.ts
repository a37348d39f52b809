import type { Flow } from './flow.ts';
import type { Edge, Network, Path } from './network.ts';
import type { Order, Plan, PlanLeg } from './planTypes.ts';

const whole = 10_000;

export function pathToPlan({ edges }: Path, { tokens }: Network, { tokenIn, tokenOut, amountIn }: Order): Plan {
  return { tokenIn, tokenOut, amountIn, legs: edges.map((edge) => toLeg(edge, tokens, whole)) };
}

/**
 * Rounds the shares to basis points; legs below one basis point are omitted. Rounding can increase the amount of a token, so
 * a leg whose pool would not take its share gets a smaller one.
 */
export function flowToPlan(flow: Flow, { tokenIn, tokenOut, amountIn }: Order): Plan {
  const { order, from, tokens } = flow.graph;
  const total = tokens.map(() => 0);
  total[0] = Number(amountIn);
  const legs: PlanLeg[] = [];
  for (const token of order) {
    const amount = total[token] as number;
    if (amount === 0) continue;
    let rest = whole;
    const used = lastLegLast(from[token] as readonly Edge[], flow, amount);
    for (const [at, edge] of used.entries()) {
      const shareBps = at === used.length - 1 ? rest : takenBps(edge, flow, amount);
      if (shareBps === 0) continue;
      rest -= shareBps;
      total[edge.to] = (total[edge.to] as number) + Math.max(0, edge.curve.pay((amount * shareBps) / whole));
      legs.push(toLeg(edge, tokens, shareBps));
    }
  }
  return { tokenIn, tokenOut, amountIn, legs };
}

/** The legs in use; last the largest one that can sell what rounding leaves, up to a basis point of each leg. */
function lastLegLast(edges: readonly Edge[], { sold }: Flow, amount: number): Edge[] {
  const used = edges.filter(({ index }) => (sold[index] as number) > 0);
  const remainder = (amount * used.length) / whole;
  const sizeOf = ({ index, curve }: Edge) => {
    const size = sold[index] as number;
    return curve.pay(size + remainder) > 0 ? size : size - amount;
  };
  return used.sort((a, b) => sizeOf(a) - sizeOf(b));
}

/** A leg's share, rounded down to basis points that its pool takes of `amount`. */
function takenBps({ index, curve }: Edge, { share, sold }: Flow, amount: number): number {
  const shareBps = toBps(share[index] as number);
  if (curve.pay((amount * shareBps) / whole) >= 0) return shareBps;
  const lower = Math.min(shareBps, toBps((sold[index] as number) / amount));
  return curve.pay((amount * lower) / whole) >= 0 ? lower : Math.max(0, lower - 1);
}

/** Doubles can be slightly below a whole number of basis points. */
const toBps = (share: number) => Math.floor(share * whole + 1e-6);

function toLeg({ pool, from, to }: Edge, tokens: Network['tokens'], shareBps: number): PlanLeg {
  const [tokenIn, tokenOut] = [tokens[from], tokens[to]];
  if (!tokenIn || !tokenOut) throw new Error(`Edge ${from}-${to} lies outside the network.`);
  return { pool: pool.ref, tokenIn, tokenOut, shareBps };
}

/** Whether each token is sold in one leg. */
export const isSingle = ({ legs }: Plan) => legs.every(({ shareBps }) => shareBps === whole);
