/** Blocks from one to another, both included. */
export interface BlockRange {
  from: number;
  to: number;
}

/** The ranges and another one, in ascending order. Ranges that overlap or adjoin become one. */
export function addRange(ranges: readonly BlockRange[], added: BlockRange): BlockRange[] {
  const joins = ({ from, to }: BlockRange) => from <= added.to + 1 && to >= added.from - 1;
  const joined = [added, ...ranges.filter(joins)];
  const from = Math.min(...joined.map((range) => range.from));
  const to = Math.max(...joined.map((range) => range.to));
  return [...ranges.filter((range) => !joins(range)), { from, to }].sort((a, b) => a.from - b.from);
}

/** The blocks of the ranges up to a block. */
export const cutRanges = (ranges: readonly BlockRange[], last: number): BlockRange[] =>
  ranges.filter(({ from }) => from <= last).map(({ from, to }) => ({ from, to: Math.min(to, last) }));

/** The blocks from 0 to `last` that no range contains, newest first. @param ranges in ascending order */
export function missingRanges(ranges: readonly BlockRange[], last: number): BlockRange[] {
  const missing: BlockRange[] = [];
  let next = 0;
  for (const { from, to } of [...cutRanges(ranges, last), { from: last + 1, to: last }]) {
    if (from > next) missing.unshift({ from: next, to: from - 1 });
    next = to + 1;
  }
  return missing;
}

/** Number of blocks. */
export const countBlocks = (ranges: readonly BlockRange[]): number =>
  ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);

/** Whether `all` contain every block of the ranges. @param all in ascending order, joined */
export const isWithin = (ranges: readonly BlockRange[], all: readonly BlockRange[]): boolean =>
  ranges.every(({ from, to }) => all.some((range) => range.from <= from && to <= range.to));
