/** The nearest-rank quantile: `share` of the samples are at or below it. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1);
  return sorted[Math.max(0, at)] ?? Number.NaN;
}

export const round = (value: number, digits = 2): number => Number(value.toFixed(digits));
