import { editDistance } from '../../router/editDistance/index.ts';

/** ` Did you mean quote?`, if one of the words is one change away, or two with the same first letter. Ignores the letter case. */
export function didYouMean(text: string, words: readonly string[]): string {
  // A long text may be a key, and a short one is close to every word.
  if (text.length < 3 || text.length > 20) return '';
  const [best] = words
    .map((word) => ({ word, changes: editDistance(text.toLowerCase(), word.toLowerCase()) }))
    .filter(({ word, changes }) => changes < 2 || (changes === 2 && isSameStart(word, text)))
    .sort((a, b) => a.changes - b.changes);
  return best ? ` Did you mean ${best.word}?` : '';
}

const isSameStart = (one: string, other: string) => one[0]?.toLowerCase() === other[0]?.toLowerCase();
