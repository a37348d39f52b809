/** ` Did you mean quote?`, if one of the words is one change away, or two with the same first letter. Ignores the letter case. */
export function didYouMean(text: string, words: readonly string[]): string {
  // A long text may be a key, and a short one is close to every word.
  if (text.length < 3 || text.length > 20) return '';
  const [best] = words
    .map((word) => ({ word, changes: countChanges(text.toLowerCase(), word.toLowerCase()) }))
    .filter(({ word, changes }) => changes < 2 || (changes === 2 && isSameStart(word, text)))
    .sort((a, b) => a.changes - b.changes);
  return best ? ` Did you mean ${best.word}?` : '';
}

const isSameStart = (one: string, other: string) => one[0]?.toLowerCase() === other[0]?.toLowerCase();

/** Levenshtein's distance: characters to insert, delete or replace. */
function countChanges(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [at, character] of [...from].entries()) {
    const next = [at + 1];
    for (const [index, other] of [...to].entries()) {
      const replaced = (row[index] ?? 0) + (character === other ? 0 : 1);
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
