import type { Comparison } from './comparison.ts';

/** Tolerance by which an answer may be below the router's. */
const toleratedBps = 1;

interface ClassRow {
  class: string;
  queries: number;
  worstBps: number;
  medianBps: number;
  bestBps: number;
}

/** Differences in total and by effort, market, kind of pair and size; above zero where truefill pays more. */
export function summarize(rows: readonly Comparison[]): {
  classes: ClassRow[];
  /** Answers over 1 bp below the router's. */
  failed: Comparison[];
  /** Plans that pay more than the bound of the linear program, which no plan should. */
  aboveBound: Comparison[];
  /** How far the better of both sides is below the bound, before gas: a limit of what either side can still gain. */
  bound: { medianBps: number; p90Bps: number; maxBps: number };
  /** How far truefill is below the best plan of both sides, after gas, for orders that lose less than a tenth of their value. */
  distance: { orders: number; p90Bps: number; maxBps: number };
} {
  const groups = new Map<string, number[]>();
  for (const { kind, usd, market, effort, differenceBps } of rows) {
    if (differenceBps === null) continue;
    for (const name of ['all', `router ${effort}`, `market ${market}`, `pair ${kind}`, `${usd} USD`]) {
      groups.set(name, [...(groups.get(name) ?? []), differenceBps]);
    }
  }
  const classes = [...groups].map(([name, differences]) => {
    const sorted = differences.toSorted((a, b) => a - b);
    return {
      class: name,
      queries: sorted.length,
      worstBps: at(sorted, 0),
      medianBps: at(sorted, 0.5),
      bestBps: at(sorted, 1),
    };
  });
  const gaps = rows.flatMap(({ boundBps }) => gapsOf(boundBps).slice(0, 1)).toSorted((a, b) => a - b);
  const below = distancesOf(rows);
  return {
    classes,
    failed: rows.filter(isBelow),
    aboveBound: rows.filter(({ boundBps }) => gapsOf(boundBps).some((gap) => gap < -programErrorBps)),
    bound: { medianBps: at(gaps, 0.5), p90Bps: at(gaps, 0.9), maxBps: at(gaps, 1) },
    distance: { orders: below.length, p90Bps: at(below, 0.9), maxBps: at(below, 1) },
  };
}

const at = (sorted: readonly number[], part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;

/** Larger orders exceed their market, where no plan is good. */
const largestLoss = 0.1;

/** For each order, by the better effort of the router; 0 where truefill pays more. */
function distancesOf(rows: readonly Comparison[]): number[] {
  const below = new Map<string, number>();
  for (const { market, about, differenceBps, lostPart } of rows) {
    if (differenceBps === null || lostPart === null || lostPart >= largestLoss) continue;
    const order = `${market}: ${about}`;
    below.set(order, Math.max(below.get(order) ?? 0, -differenceBps));
  }
  return [...below.values()].toSorted((a, b) => a - b);
}

/** The error of the linear program, which solves in doubles. */
const programErrorBps = 0.01;

/** The gaps of both sides, the smaller first. */
const gapsOf = ({ truefill, router }: Comparison['boundBps']): number[] =>
  [truefill, router].filter((gap) => gap !== null).toSorted((a, b) => a - b);

const isBelow = ({ differenceBps }: Comparison): boolean => differenceBps !== null && differenceBps < -toleratedBps;
