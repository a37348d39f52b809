/**
 * Capitalizes a text, unless it begins with the name of a function, and ends it with one full stop. Reasons of vendors and
 * nodes may already end with one.
 */
export const sentence = (text: string): string =>
  `${withoutStop(text).replace(/^[a-z](?!\w*\()/, (first) => first.toUpperCase())}.`;

/** Removes the full stop, to embed a sentence in another one. */
export const withoutStop = (text: string): string => text.replace(/[.\s]+$/, '');

/**
 * Makes text from a token safe to print: removes control characters, bidirectional overrides and other invisible format
 * characters, collapses white space, and truncates the text to `most` characters.
 */
export function sanitizeText(text: string, most: number): string {
  const visible = text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\u2028\u2029]/gu, ' ')
    // Many combining marks on one character would overprint the lines around it.
    .replace(/(\p{M}{2})\p{M}+/gu, '$1')
    .replace(/\s+/gu, ' ')
    .trim();
  const characters = [...visible];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : visible;
}
