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
    const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
    return { class: name, queries: sorted.length, worstBps: at(0), medianBps: at(0.5), bestBps: at(1) };
  });
  const gaps = rows.flatMap(({ boundBps }) => gapsOf(boundBps).slice(0, 1)).toSorted((a, b) => a - b);
  const at = (part: number) => gaps[Math.floor((gaps.length - 1) * part)] ?? 0;
  return {
    classes,
    failed: rows.filter(isBelow),
    aboveBound: rows.filter(({ boundBps }) => gapsOf(boundBps).some((gap) => gap < -programErrorBps)),
    bound: { medianBps: at(0.5), p90Bps: at(0.9), maxBps: at(1) },
  };
}

/** The error of the linear program, which solves in doubles. */
const programErrorBps = 0.01;

/** The gaps of both sides, the smaller first. */
const gapsOf = ({ truefill, router }: Comparison['boundBps']): number[] =>
  [truefill, router].filter((gap) => gap !== null).toSorted((a, b) => a - b);

const isBelow = ({ differenceBps }: Comparison): boolean => differenceBps !== null && differenceBps < -toleratedBps;
