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
  const found = poolsOfPairs(pools, tokens);

  const edges: Edge[] = [];
  const between = tokens.map(() => tokens.map((): readonly Edge[] => none));
  /** The most of each token that the whole order buys over few pools: an estimate for the choice of pools. */
  const bought = tokens.map(() => 0);
  const connect = (from: number, to: number, amount: number) => {
    const candidates = found[from * tokens.length + to];
    if (!candidates) return;
    const most = from === 0 || to === last ? maxDirect : maxBetween;
    const ranked = rank(candidates, tokens[from], amount);
    if (ranked.length === 0) return;
    const kept: Edge[] = [];
    for (const { pool, curve } of ranked.slice(0, most)) {
      const edge = { index: edges.length, pool, from, to, curve, firstPrice: curve.slope(0) };
      edges.push(edge);
      kept.push(edge);
    }
    (between[from] as (readonly Edge[])[])[to] = kept;
    bought[to] = Math.max(bought[to] as number, ranked[0]?.paid ?? 0);
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

const none: readonly Edge[] = [];

/** The pools that trade each pair of tokens, at `from * tokens.length + to`. */
function poolsOfPairs(pools: readonly Pool[], tokens: readonly LowerAddress[]): (Pool[] | undefined)[] {
  const indexOf = new Map(tokens.map((token, index) => [token, index]));
  const found: (Pool[] | undefined)[] = Array.from({ length: tokens.length ** 2 });
  for (const pool of pools) {
    const at0 = indexOf.get(pool.ref.token0);
    const at1 = indexOf.get(pool.ref.token1);
    if (at0 === undefined || at1 === undefined) continue;
    const [down, up] = [at0 * tokens.length + at1, at1 * tokens.length + at0];
    const own = found[down] ?? [];
    own.push(pool);
    found[down] = own;
    found[up] = own;
  }
  return found;
}

interface Ranked {
  pool: Pool;
  curve: Curve;
  paid: number;
}

/** The pools that pay for the amount, best first. */
function rank(pools: readonly Pool[], tokenIn: LowerAddress | undefined, amount: number): Ranked[] {
  const ranked: Ranked[] = [];
  for (const pool of pools) {
    const curve = toCurve(pool.state, pool.ref.token0 === tokenIn);
    const paid = curve?.reach(amount) ?? 0;
    if (curve && paid > 0 && Number.isFinite(paid)) ranked.push({ pool, curve, paid });
  }
  return ranked.sort((a, b) => b.paid - a.paid);
}

/** A route that shares its first edges with others: a search compares hundreds, and few of them are used. */
class Label implements Path {
  constructor(
    readonly amountOut: number,
    private readonly edge?: Edge,
    private readonly before?: Label,
  ) {}

  get token(): number {
    return this.edge?.to ?? 0;
  }

  get edges(): Edge[] {
    const edges = this.before?.edges ?? [];
    if (this.edge) edges.push(this.edge);
    return edges;
  }
}

/** Routes for the whole amount, best first, of at least `shortest` hops and without the pools in `excluded`. */
export function findPaths(network: Network, amountIn: number, excluded: ReadonlySet<string>, shortest = 1): Path[] {
  const { tokens, between, work } = network;
  const last = tokens.length - 1;
  const found: Label[] = [];
  /** Adds the routes that continue these ones to a token. */
  const follow = (paths: readonly Label[], to: number, longer: Label[]) => {
    const [start] = paths;
    if (!start) return;
    const edges = between[start.token]?.[to] ?? none;
    work.left -= edges.length;
    for (const edge of edges) {
      if (excluded.size > 0 && excluded.has(contractOf(edge.pool.ref))) continue;
      // A pool that cannot take the largest amount may take a smaller one.
      let fits = 0;
      for (const path of paths) {
        const amountOut = edge.curve.pay(path.amountOut);
        if (!(amountOut >= 1)) continue;
        longer.push(new Label(amountOut, edge, path));
        if (++fits === 2) break;
      }
    }
  };

  const start = [new Label(amountIn)];
  if (shortest === 1) follow(start, last, found);
  const twice = tokens.map((): Label[] => []);
  for (let from = 1; from < last; from++) {
    const once: Label[] = [];
    follow(start, from, once);
    if (once.length === 0) continue;
    once.sort(byAmountOut);
    if (shortest <= 2) follow(once, last, found);
    const best = once.slice(0, maxLabels);
    for (let to = 1; to < last; to++) {
      const longer: Label[] = [];
      follow(best, to, longer);
      twice[to]?.push(...longer.sort(byAmountOut).slice(0, maxLabels));
    }
  }
  for (const paths of twice) follow(paths.sort(byAmountOut).slice(0, 2 * maxLabels), last, found);
  return found.sort(byAmountOut);
}

const byAmountOut = (a: Path, b: Path) => b.amountOut - a.amountOut;
