import highsLoader from 'highs';
import type { LowerAddress } from '../../../engine/lowerAddress.ts';
import type { Plan, PlanLeg } from '../../../engine/quote/search/planTypes.ts';
import type { SearchQuery } from '../../../engine/quote/search/searchPlan.ts';
import type { PoolRef } from '../../../engine/venues/poolTypes.ts';
import { capacityOf, paidBy, type Range, rangesOf } from './testRanges.ts';

// The package is CommonJS, and its types describe an ES module.
const highs = await (highsLoader as unknown as typeof highsLoader.default)();

/** A pool in one direction. */
interface Arc {
  ref: PoolRef;
  from: number;
  to: number;
  ranges: Range[];
}

/** A leg of the optimum, in base units. */
export interface OptimalLeg {
  pool: PoolRef;
  tokenIn: LowerAddress;
  tokenOut: LowerAddress;
  sold: number;
  /** What it pays beyond the value of its input, in tokenOut: the order loses at least this much without it. */
  surplus: number;
}

interface Optimum {
  /** No plan pays more, whatever its routes, its order of tokens and its number of hops (if these have no limit). */
  bound: number;
  legs: OptimalLeg[];
}

const maxRounds = 40;
/** A round adds a tangent to each pool; they end when the bound falls by less than this part. */
const tolerance = 1e-8;

/** `findOptimum` for one query. Both directions of a closed pool are excluded. */
type Optimizer = (closed?: ReadonlySet<string>) => Optimum;

/**
 * An upper bound on the output of any plan, by a linear program that HiGHS solves: each token must be bought before it is
 * sold, and each pool pays at most its tangents. A pool pays less for each further unit, so a tangent is never below its
 * output. New tangents at the solution lower the bound (Kelley's cutting planes). The program allows cycles, so markets with
 * arbitrage have a weaker bound. Shares neither code nor restrictions with the search.
 * @param maxHops limits the hops of each route; by default they have no limit
 */
export function findOptimum(query: SearchQuery, maxHops?: number): Optimum {
  return createOptimizer(query, maxHops)();
}

export function createOptimizer(
  { pools, tokenIn, tokenOut, amountIn, routingTokens }: SearchQuery,
  maxHops?: number,
): Optimizer {
  const tokens = [...new Set([tokenIn, ...routingTokens, tokenOut])];
  const source = tokens.indexOf(tokenIn);
  const target = tokens.indexOf(tokenOut);
  const arcs = pools.flatMap(({ ref, state }): Arc[] => {
    const [at0, at1] = [tokens.indexOf(ref.token0), tokens.indexOf(ref.token1)];
    if (at0 < 0 || at1 < 0) return [];
    return [
      { ref, from: at0, to: at1, ranges: rangesOf(state, true) },
      { ref, from: at1, to: at0, ranges: rangesOf(state, false) },
    ].filter(({ from, to, ranges }) => from !== target && to !== source && ranges.length > 0);
  });
  const scale = scalesOf(arcs, tokens.length, source, Number(amountIn));
  const usable = arcs.filter(({ from, to }) => scale[from] && scale[to]);
  const cuts = usable.map((): Cut[] => []);
  const capacity = usable.map(({ ranges, from }) => capacityOf(ranges) / (scale[from] as number));
  const cutAt = (index: number, sold: number) => {
    const { ranges, from, to } = usable[index] as Arc;
    const [unitIn, unitOut] = [scale[from] as number, scale[to] as number];
    const { paid, slope } = paidBy(ranges, sold * unitIn);
    const scaled = (slope * unitIn) / unitOut;
    cuts[index]?.push({ slope: scaled, rest: paid / unitOut - scaled * sold });
  };
  for (const index of usable.keys()) {
    for (const sold of [0, 0.05, 0.3, 1]) if (sold <= (capacity[index] as number)) cutAt(index, sold);
  }
  return (closed = new Set()) => {
    const most = usable.map(({ ref }, index) => (closed.has(ref.id) ? 0 : (capacity[index] as number)));
    const program = { arcs: usable, cuts, capacity: most, count: tokens.length, source, target, maxHops };
    let bound = Number.POSITIVE_INFINITY;
    let solved = solve(program);
    for (let round = 0; round < maxRounds; round++) {
      const before = bound;
      bound = Math.min(bound, solved.objective);
      if (before - bound < bound * tolerance && round > 2) break;
      for (const [index, { sold }] of solved.flows.entries()) if (sold > 1e-9) cutAt(index, sold);
      solved = solve(program);
    }
    const unitOut = scale[target] ?? 0;
    const legs = usable.flatMap(({ ref, from, to }, index) => {
      const { sold, surplus } = solved.flows[index] as ArcFlow;
      const [sells, buys] = [tokens[from], tokens[to]];
      if (!(sold > 1e-7) || !sells || !buys) return [];
      return [
        { pool: ref, tokenIn: sells, tokenOut: buys, sold: sold * (scale[from] as number), surplus: surplus * unitOut },
      ];
    });
    return { bound: bound * unitOut, legs };
  };
}

/**
 * The optimum as a plan, with shares rounded down to basis points. Undefined if its legs form a cycle, or if none of a token's
 * legs sells a basis point of it.
 */
export function planOf(
  { legs }: Pick<Optimum, 'legs'>,
  { tokenIn, tokenOut, amountIn }: Pick<Plan, 'tokenIn' | 'tokenOut' | 'amountIn'>,
): Plan | undefined {
  const planned: PlanLeg[] = [];
  const left = new Set(legs);
  while (left.size > 0) {
    const bought = new Set([...left].map((leg) => leg.tokenOut));
    const token = [...left].map((leg) => leg.tokenIn).find((each) => !bought.has(each));
    if (token === undefined) return undefined;
    const own = [...left].filter((leg) => leg.tokenIn === token).toSorted((a, b) => a.sold - b.sold);
    for (const leg of own) left.delete(leg);
    const isBought = token === tokenIn || planned.some((leg) => leg.tokenOut === token);
    if (!isBought) continue;
    const total = own.reduce((sum, { sold }) => sum + sold, 0);
    let rest = 10_000;
    for (const [at, { sold, pool, tokenIn: sells, tokenOut: buys }] of own.entries()) {
      const shareBps = at === own.length - 1 ? rest : Math.floor((sold / total) * 10_000);
      rest -= shareBps;
      if (shareBps > 0) planned.push({ pool, tokenIn: sells, tokenOut: buys, shareBps });
    }
  }
  return { tokenIn, tokenOut, amountIn, legs: planned };
}

/** Base units of each token that are worth about the order, so that all numbers of the program are near 1. */
function scalesOf(arcs: readonly Arc[], count: number, source: number, amountIn: number): (number | undefined)[] {
  const scale: (number | undefined)[] = Array.from({ length: count });
  scale[source] = amountIn;
  for (let round = 0; round < count; round++) {
    for (const { from, to, ranges } of arcs) {
      const own = scale[from];
      if (own) scale[to] ??= own * paidBy(ranges, 0).slope;
    }
  }
  return scale;
}

interface Cut {
  slope: number;
  rest: number;
}

interface Program {
  arcs: readonly Arc[];
  cuts: readonly Cut[][];
  capacity: readonly number[];
  count: number;
  source: number;
  target: number;
  maxHops: number | undefined;
}

interface ArcFlow {
  sold: number;
  surplus: number;
}

function solve(program: Program): { objective: number; flows: ArcFlow[] } {
  const copies = copiesOf(program);
  const solution = highs.solve(toText(program, copies));
  if (solution.Status !== 'Optimal') throw new Error(`HiGHS: ${solution.Status}.`);
  const columns = solution.Columns as Record<string, { Primal: number }>;
  const rows = solution.Rows as readonly { Name: string; Dual: number }[];
  const prices = new Map(rows.map(({ Name, Dual }) => [Name, Math.abs(Dual)]));
  const flows = program.arcs.map((_, index): ArcFlow => {
    let [sold, surplus] = [0, 0];
    for (const { name, sells, buys } of copies[index] as Copy[]) {
      const x = Math.max(0, columns[`x${name}`]?.Primal ?? 0);
      const y = Math.max(0, columns[`y${name}`]?.Primal ?? 0);
      sold += x;
      surplus += y * (buys === undefined ? 1 : (prices.get(buys) ?? 0)) - x * (prices.get(sells) ?? 0);
    }
    return { sold, surplus };
  });
  return { objective: solution.ObjectiveValue, flows };
}

/** An arc at one hop of a route. `buys` is undefined for tokenOut. */
interface Copy {
  name: string;
  sells: string;
  buys: string | undefined;
}

/** For each arc: one copy without a limit of hops, otherwise one for each hop at which a route can use it. */
function copiesOf({ arcs, source, target, maxHops }: Program): Copy[][] {
  return arcs.map(({ from, to }, index) => {
    const buys = (name: string) => (to === target ? undefined : name);
    if (maxHops === undefined) return [{ name: `${index}`, sells: `t${from}`, buys: buys(`t${to}`) }];
    const hops = Array.from({ length: maxHops }, (_, hop) => hop).filter(
      (hop) => (from === source) === (hop === 0) && (to === target || hop < maxHops - 1),
    );
    return hops.map((hop) => ({ name: `${index}_${hop}`, sells: `t${from}_${hop}`, buys: buys(`t${to}_${hop + 1}`) }));
  });
}

/** The program in the LP format of CPLEX: x sells, y buys, in scaled units. */
function toText({ arcs, cuts, capacity, source }: Program, copies: readonly Copy[][]): string {
  const all = copies.flat();
  const sumOf = (prefix: string, names: readonly string[], sign = '+') =>
    names.map((name) => `${sign} ${prefix}${name}`).join(' ');
  const lines = [
    'Maximize',
    ` goal: ${
      sumOf(
        'y',
        all.flatMap(({ name, buys }) => (buys ? [] : [name])),
      ) || '0 x0'
    }`,
  ];
  lines.push('Subject To');
  for (const node of new Set(all.map(({ sells }) => sells))) {
    const sells = all.flatMap((copy) => (copy.sells === node ? [copy.name] : []));
    const buys = all.flatMap((copy) => (copy.buys === node ? [copy.name] : []));
    const isSource = node === `t${source}` || node === `t${source}_0`;
    lines.push(` ${node}: ${sumOf('x', sells)} ${sumOf('y', buys, '-')} <= ${isSource ? 1 : 0}`);
  }
  for (const index of arcs.keys()) {
    const names = (copies[index] as Copy[]).map(({ name }) => name);
    if (names.length === 0) continue;
    const own = cuts[index] as Cut[];
    for (const [at, { slope, rest }] of own.entries()) {
      const sells = names.map((name) => `- ${slope.toExponential(15)} x${name}`).join(' ');
      lines.push(` cut${index}_${at}: ${sumOf('y', names)} ${sells} <= ${rest.toExponential(15)}`);
    }
    // No hop pays more than the first price.
    const first = Math.max(...own.map(({ slope }) => slope));
    if (names.length > 1) {
      for (const name of names) lines.push(` hop${name}: y${name} - ${first.toExponential(15)} x${name} <= 0`);
    }
    const most = capacity[index] as number;
    if (Number.isFinite(most)) lines.push(` most${index}: ${sumOf('x', names)} <= ${most.toExponential(15)}`);
  }
  lines.push('End');
  return lines.join('\n');
}
