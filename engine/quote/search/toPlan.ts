import type { Flow } from './divide.ts';
import type { Edge, Network, Path } from './network.ts';
import type { Plan, PlanLeg } from './planTypes.ts';

type Order = Pick<Plan, 'tokenIn' | 'tokenOut' | 'amountIn'>;

const whole = 10_000;

export function pathToPlan({ edges }: Path, { tokens }: Network, { tokenIn, tokenOut, amountIn }: Order): Plan {
  return { tokenIn, tokenOut, amountIn, legs: edges.map((edge) => toLeg(edge, tokens, whole)) };
}

/** Rounds the shares to basis points; legs below half of one are left out. */
export function flowToPlan(flow: Flow, { tokenIn, tokenOut, amountIn }: Order): Plan {
  const { order, from, tokens } = flow.graph;
  const reached = new Set([0]);
  const legs: PlanLeg[] = [];
  for (const token of order) {
    if (!reached.has(token)) continue;
    const used = (from[token] ?? []).filter(({ index }) => (flow.sold[index] as number) > 0);
    const shares = toBps(used.map(({ index }) => flow.share[index] as number));
    // The last leg sells what rounding leaves over: best the largest one.
    const sorted = used.map((edge, at) => ({ edge, bps: shares[at] as number })).sort((a, b) => a.bps - b.bps);
    for (const { edge, bps } of sorted) {
      if (bps === 0) continue;
      reached.add(edge.to);
      legs.push(toLeg(edge, tokens, bps));
    }
  }
  return { tokenIn, tokenOut, amountIn, legs };
}

/** Basis points that add up to 10000. The largest share takes what rounding leaves. */
function toBps(shares: readonly number[]): number[] {
  const bps = shares.map((share) => Math.round(share * whole));
  const largest = bps.indexOf(Math.max(...bps));
  if (largest >= 0) bps[largest] = (bps[largest] as number) + whole - bps.reduce((sum, part) => sum + part, 0);
  return bps;
}

function toLeg({ pool, from, to }: Edge, tokens: Network['tokens'], shareBps: number): PlanLeg {
  const [tokenIn, tokenOut] = [tokens[from], tokens[to]];
  if (!tokenIn || !tokenOut) throw new Error(`Edge ${from}-${to} lies outside the network.`);
  return { pool: pool.ref, tokenIn, tokenOut, shareBps };
}
