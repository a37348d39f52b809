/**
 * Characters that can control a terminal or are invisible: controls, direction marks, zero-width characters, tags, line
 * separators. Token names may contain any of them.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Sanitizes external text for a terminal: one line, no unsafe characters, limited length. */
export function sanitize(text: string, longest = 400): string {
  const safe = text.replace(unsafe, '\u00b7');
  return safe.length > longest ? `${safe.slice(0, longest)}…` : safe;
}

/** JSON that parses to the same value, with unsafe characters escaped. */
export function sanitizeJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .split('\n')
    .map((line) => line.replace(unsafe, escapeUnits))
    .join('\n');
}

function escapeUnits(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}
