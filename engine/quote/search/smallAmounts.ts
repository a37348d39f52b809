import { contractOf } from '../../pools/contractOf.ts';
import { swap } from '../../venues/models.ts';
import type { Edge, Network, Path } from './network.ts';

/** Below this many base units, integer rounding decides which route is best; floating point does not model it. */
export const smallAmount = 1e6;

/** An exact swap pays at most this fraction more than doubles compute. */
const reachError = 1e-6;

interface Label {
  edges: readonly Edge[];
  amount: bigint;
}

/**
 * The best route of a small amount, by exact swaps. More input never returns less, so for each token and number of hops
 * only the largest amount matters.
 */
export function findSmallPath(
  { tokens, edges }: Network,
  amountIn: bigint,
  excluded: ReadonlySet<string>,
): Path | undefined {
  const last = tokens.length - 1;
  const usable = edges.filter(({ pool }) => !excluded.has(contractOf(pool.ref)));
  let labels = new Map<number, Label>([[0, { edges: [], amount: amountIn }]]);
  let found: Label | undefined;
  for (let hop = 0; hop < 3; hop++) {
    const next = new Map<number, Label>();
    for (const edge of usable) {
      const label = labels.get(edge.from);
      if (!label || (hop === 2 && edge.to !== last)) continue;
      const { ref, state } = edge.pool;
      // Exact swaps are slow across many ticks, so only for pools that can pay more than the best so far.
      const best = next.get(edge.to)?.amount ?? 0n;
      if (edge.curve.reach(Number(label.amount)) * (1 + reachError) + 1 <= Number(best)) continue;
      const amount = swap(state, ref.token0 === tokens[edge.from], label.amount)?.amountOut ?? 0n;
      if (amount > best) next.set(edge.to, { edges: [...label.edges, edge], amount });
    }
    const ended = next.get(last);
    if (ended && ended.amount > (found?.amount ?? 0n)) found = ended;
    next.delete(last);
    labels = next;
  }
  return found && { edges: found.edges, amountOut: Number(found.amount) };
}
