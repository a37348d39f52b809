import type { SearchEntry } from '../searchIndex.ts';

/** Entries that contain every word of the query, best first: a hit in a heading counts more than one in the text. */
export function rank(entries: readonly SearchEntry[], query: string): SearchEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).map(stemOf);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: score(entry, words) }))
    .filter((scored) => scored.score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => entry);
}

/** Without an ending, so that `rotate` finds `rotation` and `alerts` finds `alert`. */
function stemOf(word: string): string {
  const stem = word.replace(/(?:ing|ions?|ed|es|e|s)$/, '');
  return stem.length >= shortestStem ? stem : word;
}

const shortestStem = 3;

function score({ title, page, text, url }: SearchEntry, words: readonly string[]): number {
  const [inTitle, inPage, inText] = [title.toLowerCase(), page.toLowerCase(), text.toLowerCase()];
  const points = words.map(
    (word) =>
      (stemOf(inTitle) === word ? 20 : inTitle.includes(word) ? 10 : 0) +
      (inPage.includes(word) ? 3 : 0) +
      (inText.includes(word) || url.toLowerCase().includes(word) ? 1 : 0),
  );
  return points.includes(0) ? 0 : points.reduce((sum, each) => sum + each, 0);
}
