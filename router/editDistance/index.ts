/**
 * Damerau-Levenshtein distance (optimal string alignment): characters to insert, delete or replace; a swap of two neighbours
 * is one edit.
 * @example editDistance('qoute', 'quote') // 1
 */
export function editDistance(left: string, right: string): number {
  let [before, row]: number[][] = [[], Array.from({ length: right.length + 1 }, (_, index) => index)];
  for (let at = 1; at <= left.length; at++) {
    const next = [at];
    for (let to = 1; to <= right.length; to++) {
      const replaced = (row?.[to - 1] ?? 0) + (left[at - 1] === right[to - 1] ? 0 : 1);
      const isSwap = at > 1 && to > 1 && left[at - 1] === right[to - 2] && left[at - 2] === right[to - 1];
      const swapped = isSwap ? (before?.[to - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(replaced, swapped, (row?.[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row?.at(-1) ?? 0;
}
