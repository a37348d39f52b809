import type { LowerAddress } from '../../lowerAddress.ts';
import { contractOf } from '../../pools/contractOf.ts';
import type { Curve } from '../../venues/poolModel.ts';
import type { Pool } from '../../venues/poolTypes.ts';
import { toCurve } from './curve.ts';

/** A pool in one direction. Tokens are indices into the network's list. */
export interface Edge {
  index: number;
  pool: Pool;
  from: number;
  to: number;
  curve: Curve;
  /** Output for the first unit, the highest price. */
  firstPrice: number;
}

/** What a search may still do, in evaluations of curves. Counted, so that equal queries get equal plans. */
export interface Work {
  left: number;
}

/** Pools by token: index 0 is tokenIn, the last one tokenOut, routing tokens lie between. */
export interface Network {
  tokens: readonly LowerAddress[];
  edges: readonly Edge[];
  /** `between[from][to]`: the edges of a pair, ordered by their output for the order. */
  between: readonly (readonly (readonly Edge[])[])[];
  work: Work;
}

/** One route: up to three edges and their output for the amount, in floating point. */
export interface Path {
  edges: readonly Edge[];
  amountOut: number;
}

/** Pools kept of a pair, by their output for the order. Bounds the work if someone opens hundreds of pools. */
const maxDirect = 16;
const maxBetween = 8;
const maxTokens = 18;
/** Bounds the time of a search in any market, because anyone can open pools. Ordinary markets need a tenth of it. */
export const maxWork = 15_000;
/** Partial routes kept for each token, from which longer routes continue. */
const maxLabels = 4;

export function toNetwork(
  pools: readonly Pool[],
  tokenIn: LowerAddress,
  tokenOut: LowerAddress,
  routingTokens: readonly LowerAddress[],
  amountIn: number,
): Network {
  const middle = [...new Set(routingTokens)].filter((token) => token !== tokenIn && token !== tokenOut);
  const tokens = [tokenIn, ...middle.slice(0, maxTokens - 2), tokenOut];
  const last = tokens.length - 1;
  const indexOf = new Map(tokens.map((token, index) => [token, index]));
  const found = tokens.map(() => tokens.map((): Pool[] => []));
  for (const pool of pools) {
    const at0 = indexOf.get(pool.ref.token0);
    const at1 = indexOf.get(pool.ref.token1);
    if (at0 === undefined || at1 === undefined) continue;
    found[at0]?.[at1]?.push(pool);
    found[at1]?.[at0]?.push(pool);
  }

  const edges: Edge[] = [];
  const between = tokens.map(() => tokens.map((): Edge[] => []));
  /** The most of each token that the whole order buys over few pools: an estimate for the choice of pools. */
  const bought = tokens.map(() => 0);
  const connect = (from: number, to: number, amount: number) => {
    const most = from === 0 || to === last ? maxDirect : maxBetween;
    const ranked = (found[from]?.[to] ?? []).flatMap((pool) => rank(pool, from, to, tokens, amount));
    ranked.sort((a, b) => b.paid - a.paid);
    for (const { edge, paid } of ranked.slice(0, most)) {
      edges.push({ ...edge, firstPrice: edge.curve.slope(0), index: edges.length });
      between[from]?.[to]?.push(edges.at(-1) as Edge);
      bought[to] = Math.max(bought[to] as number, paid);
    }
  };
  for (let to = 1; to <= last; to++) connect(0, to, amountIn);
  const connected = new Set<number>();
  // Each round connects the tokens that one more pool buys.
  for (let size = -1; size < connected.size; ) {
    size = connected.size;
    const before = [...bought];
    for (let from = 1; from < last; from++) {
      if (connected.has(from) || before[from] === 0) continue;
      connected.add(from);
      for (let to = 1; to < last; to++) if (to !== from) connect(from, to, before[from] as number);
    }
  }
  for (let from = 1; from < last; from++) connect(from, last, bought[from] as number);
  return { tokens, edges, between, work: { left: maxWork } };
}

function rank(pool: Pool, from: number, to: number, tokens: readonly LowerAddress[], amount: number) {
  const curve = toCurve(pool.state, pool.ref.token0 === tokens[from]);
  const paid = curve?.reach(amount) ?? 0;
  return curve && paid > 0 && Number.isFinite(paid) ? [{ edge: { pool, from, to, curve }, paid }] : [];
}

/** Routes for the whole amount, best first, of at least `shortest` hops and without the pools in `excluded`. */
export function findPaths(network: Network, amountIn: number, excluded: ReadonlySet<string>, shortest = 1): Path[] {
  const { tokens, between, work } = network;
  const last = tokens.length - 1;
  const found: Path[] = [];
  const keep = (path: Path) => {
    if (path.edges.length >= shortest) found.push(path);
  };
  const after = (paths: readonly Path[], to: number, most?: number): Path[] => {
    const [start] = paths;
    if (!start) return [];
    const from = start.edges.at(-1)?.to ?? 0;
    const longer: { path: Path; edge: Edge; amountOut: number }[] = [];
    const edges = between[from]?.[to] ?? [];
    work.left -= edges.length;
    for (const edge of edges) {
      if (excluded.has(contractOf(edge.pool.ref))) continue;
      // A pool that cannot take the largest amount may take a smaller one.
      let fits = 0;
      for (const path of paths) {
        const amountOut = edge.curve.pay(path.amountOut);
        if (!(amountOut >= 1)) continue;
        longer.push({ path, edge, amountOut });
        if (++fits === 2) break;
      }
    }
    const kept = longer.sort(byAmountOut).slice(0, most);
    return kept.map(({ path, edge, amountOut }) => ({ edges: [...path.edges, edge], amountOut }));
  };

  const start: Path[] = [{ edges: [], amountOut: amountIn }];
  for (const path of after(start, last)) keep(path);
  const once = tokens.map((_, token) => after(start, token));
  const twice = tokens.map((): Path[] => []);
  for (let from = 1; from < last; from++) {
    for (const path of after(once[from] ?? [], last)) keep(path);
    const best = once[from]?.slice(0, maxLabels) ?? [];
    for (let to = 1; to < last; to++) twice[to]?.push(...after(best, to, maxLabels));
  }
  for (const paths of twice) {
    for (const path of after(paths.sort(byAmountOut).slice(0, 2 * maxLabels), last)) keep(path);
  }
  return found.sort(byAmountOut);
}

const byAmountOut = (a: Pick<Path, 'amountOut'>, b: Pick<Path, 'amountOut'>) => b.amountOut - a.amountOut;
