import type { Flow } from './flow.ts';
import type { Edge, Network, Path } from './network.ts';
import type { Plan, PlanLeg } from './planTypes.ts';

type Order = Pick<Plan, 'tokenIn' | 'tokenOut' | 'amountIn'>;

const whole = 10_000;

export function pathToPlan({ edges }: Path, { tokens }: Network, { tokenIn, tokenOut, amountIn }: Order): Plan {
  return { tokenIn, tokenOut, amountIn, legs: edges.map((edge) => toLeg(edge, tokens, whole)) };
}

/** Rounds the shares to basis points; legs below one basis point are omitted. */
export function flowToPlan(flow: Flow, { tokenIn, tokenOut, amountIn }: Order): Plan {
  const { order, from, tokens } = flow.graph;
  const reached = new Set([0]);
  const legs: PlanLeg[] = [];
  for (const token of order) {
    if (!reached.has(token)) continue;
    const used = (from[token] as readonly Edge[]).filter(({ index }) => (flow.sold[index] as number) > 0);
    // The last leg sells the rounding remainder, so its pool needs spare capacity.
    used.sort((a, b) => roomOf(a, flow) - roomOf(b, flow));
    const shares = toBps(used.map(({ index }) => flow.share[index] as number));
    for (const [at, edge] of used.entries()) {
      const shareBps = shares[at] as number;
      if (shareBps === 0) continue;
      reached.add(edge.to);
      legs.push(toLeg(edge, tokens, shareBps));
    }
  }
  return { tokenIn, tokenOut, amountIn, legs };
}

/** Basis points that add up to 10000: each share rounded down, and the last one takes the rest. */
function toBps(shares: readonly number[]): number[] {
  const bps = shares.map((share) => Math.floor(share * whole + 1e-6));
  const rest = whole - bps.reduce((sum, part) => sum + part, 0);
  return bps.map((part, at) => (at === bps.length - 1 ? part + rest : part));
}

/** Sort key of a leg: its input, or -1 if its pool has hardly any spare capacity. */
function roomOf({ index, curve }: Edge, { sold }: Flow): number {
  const amount = sold[index] as number;
  return curve.pay(amount * 1.02) > 0 ? amount : -1;
}

function toLeg({ pool, from, to }: Edge, tokens: Network['tokens'], shareBps: number): PlanLeg {
  const [tokenIn, tokenOut] = [tokens[from], tokens[to]];
  if (!tokenIn || !tokenOut) throw new Error(`Edge ${from}-${to} lies outside the network.`);
  return { pool: pool.ref, tokenIn, tokenOut, shareBps };
}

/** Whether each token is sold in one leg. */
export const isSingle = ({ legs }: Plan) => legs.every(({ shareBps }) => shareBps === whole);
