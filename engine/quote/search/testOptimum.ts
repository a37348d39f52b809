import highsLoader from 'highs';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import type { Plan, PlanLeg } from './planTypes.ts';
import type { SearchQuery } from './searchPlan.ts';
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
interface OptimalLeg {
  pool: PoolRef;
  tokenIn: LowerAddress;
  tokenOut: LowerAddress;
  sold: number;
}

export interface Optimum {
  /** No plan pays more, whatever its routes, its order of tokens and its number of hops. */
  bound: number;
  legs: OptimalLeg[];
}

const maxRounds = 40;
/** A round adds a tangent to each pool; they end when the bound falls by less than this part. */
const tolerance = 1e-8;

/**
 * An upper bound on the output of any plan, by a linear program that HiGHS solves: each token must be bought before it is
 * sold, and each pool pays at most its tangents. A pool pays less for each further unit, so a tangent is never below its
 * output. New tangents at the solution lower the bound (Kelley's cutting planes). The program allows cycles and any number
 * of hops, so markets with arbitrage have a weaker bound. Shares neither code nor restrictions with the search.
 */
export function findOptimum({ pools, tokenIn, tokenOut, amountIn, routingTokens }: SearchQuery): Optimum {
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
  const cuts = usable.map((): { slope: number; rest: number }[] => []);
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
  let bound = Number.POSITIVE_INFINITY;
  let sold: number[] = [];
  for (let round = 0; round < maxRounds; round++) {
    const solution = highs.solve(toProgram(usable, cuts, capacity, tokens.length, source, target));
    if (solution.Status !== 'Optimal') throw new Error(`HiGHS: ${solution.Status}.`);
    const columns = solution.Columns as Record<string, { Primal: number }>;
    sold = usable.map((_, index) => Math.max(0, columns[`x${index}`]?.Primal ?? 0));
    const before = bound;
    bound = Math.min(bound, solution.ObjectiveValue);
    if (before - bound < bound * tolerance && round > 2) break;
    for (const [index, amount] of sold.entries()) if (amount > 1e-9) cutAt(index, amount);
  }
  const legs = usable.flatMap(({ ref, from, to }, index) => {
    const amount = (sold[index] as number) * (scale[from] as number);
    const [sells, buys] = [tokens[from], tokens[to]];
    return (sold[index] as number) > 1e-7 && sells && buys
      ? [{ pool: ref, tokenIn: sells, tokenOut: buys, sold: amount }]
      : [];
  });
  return { bound: bound * (scale[target] ?? 0), legs };
}

/**
 * The optimum as a plan, with shares rounded down to basis points. Undefined if its legs form a cycle, or if none of a token's
 * legs sells a basis point of it.
 */
export function planOf({ legs }: Optimum, { tokenIn, tokenOut, amountIn }: SearchQuery): Plan | undefined {
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

/** The program in the LP format of CPLEX: x sells, y buys, in scaled units. */
function toProgram(
  arcs: readonly Arc[],
  cuts: readonly { slope: number; rest: number }[][],
  capacity: readonly number[],
  count: number,
  source: number,
  target: number,
): string {
  const sumOf = (name: string, some: (arc: Arc) => boolean, sign: string) =>
    arcs.flatMap((arc, index) => (some(arc) ? [`${sign} ${name}${index}`] : [])).join(' ');
  const lines = ['Maximize', ` goal: ${sumOf('y', ({ to }) => to === target, '+') || '0 x0'}`, 'Subject To'];
  for (let token = 0; token < count; token++) {
    const sells = sumOf('x', ({ from }) => from === token, '+');
    if (token === target || !sells) continue;
    const buys = sumOf('y', ({ to }) => to === token, '-');
    lines.push(` token${token}: ${sells} ${buys} <= ${token === source ? 1 : 0}`);
  }
  for (const [index, own] of cuts.entries()) {
    for (const [at, { slope, rest }] of own.entries()) {
      lines.push(` cut${index}_${at}: y${index} - ${slope.toExponential(15)} x${index} <= ${rest.toExponential(15)}`);
    }
  }
  lines.push('Bounds');
  for (const [index, most] of capacity.entries()) {
    if (Number.isFinite(most)) lines.push(` 0 <= x${index} <= ${most.toExponential(15)}`);
  }
  lines.push('End');
  return lines.join('\n');
}
