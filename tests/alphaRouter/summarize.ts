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
  return { classes, failed: rows.filter(isBelow) };
}

const isBelow = ({ differenceBps }: Comparison): boolean => differenceBps !== null && differenceBps < -toleratedBps;
