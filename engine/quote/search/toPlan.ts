import type { Flow } from './flow.ts';
import type { Edge, Network, Path } from './network.ts';
import type { Plan, PlanLeg } from './planTypes.ts';

type Order = Pick<Plan, 'tokenIn' | 'tokenOut' | 'amountIn'>;

const whole = 10_000;

export function pathToPlan({ edges }: Path, { tokens }: Network, { tokenIn, tokenOut, amountIn }: Order): Plan {
  return { tokenIn, tokenOut, amountIn, legs: edges.map((edge) => toLeg(edge, tokens, whole)) };
}

/**
 * Rounds the shares to basis points; legs below one basis point are omitted.
 * @param marginBps part of their input that legs at their capacity leave to others, because rounding can exceed it
 */
export function flowToPlan(flow: Flow, { tokenIn, tokenOut, amountIn }: Order, marginBps = 0): Plan {
  const { order, from, tokens } = flow.graph;
  const full = marginBps > 0 ? fullTokens(flow) : new Set<number>();
  const reached = new Set([0]);
  const legs: PlanLeg[] = [];
  for (const token of order) {
    if (!reached.has(token)) continue;
    const used = (from[token] as readonly Edge[]).filter(({ index }) => (flow.sold[index] as number) > 0);
    // The last leg sells the rounding remainder, so its pool needs spare capacity.
    used.sort((a, b) => roomOf(a, flow, full) - roomOf(b, flow, full));
    const partOf = (edge: Edge) => (full.has(token) || roomOf(edge, flow, full) > 0 ? 1 : 1 - marginBps / whole);
    const shares = toBps(used.map((edge) => (flow.share[edge.index] as number) * partOf(edge)));
    for (const [at, edge] of used.entries()) {
      const shareBps = shares[at] as number;
      if (shareBps === 0) continue;
      reached.add(edge.to);
      legs.push(toLeg(edge, tokens, shareBps));
    }
  }
  return { tokenIn, tokenOut, amountIn, legs };
}

/** Tokens of which no leg could sell more. */
function fullTokens(flow: Flow): Set<number> {
  const full = new Set<number>();
  for (const token of [...flow.graph.order].reverse()) {
    const used = flow.used.filter(({ from }) => from === token);
    if (used.length > 0 && used.every((edge) => roomOf(edge, flow, full) < 0)) full.add(token);
  }
  return full;
}

/** Basis points that add up to 10000: each share rounded down, and the last one takes the rest. */
function toBps(shares: readonly number[]): number[] {
  const bps = shares.map((share) => Math.floor(share * whole + 1e-6));
  const rest = whole - bps.reduce((sum, part) => sum + part, 0);
  return bps.map((part, at) => (at === bps.length - 1 ? part + rest : part));
}

/** Sort key of a leg: its input, or -1 if its pool, or those that sell on, have hardly any spare capacity. */
function roomOf({ index, curve, to }: Edge, { sold }: Flow, full: ReadonlySet<number>): number {
  const amount = sold[index] as number;
  return !full.has(to) && curve.pay(amount * 1.02) > 0 ? amount : -1;
}

function toLeg({ pool, from, to }: Edge, tokens: Network['tokens'], shareBps: number): PlanLeg {
  const [tokenIn, tokenOut] = [tokens[from], tokens[to]];
  if (!tokenIn || !tokenOut) throw new Error(`Edge ${from}-${to} lies outside the network.`);
  return { pool: pool.ref, tokenIn, tokenOut, shareBps };
}

/** Whether each token is sold in one leg. */
export const isSingle = ({ legs }: Plan) => legs.every(({ shareBps }) => shareBps === whole);
