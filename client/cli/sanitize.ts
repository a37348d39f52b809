/**
 * Characters that can control a terminal or are invisible: control characters, direction marks, zero-width characters,
 * tags and line separators. Token names may contain any of them.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Sanitizes external text for a terminal: one line, no unsafe characters, at most `maxLength` characters. */
export function sanitize(text: string, maxLength = 400): string {
  const safe = text.replace(unsafe, '\u00b7');
  return safe.length > maxLength ? `${safe.slice(0, maxLength)}…` : safe;
}

/** JSON that parses to the same value, with unsafe characters escaped. */
export function sanitizeJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent)
    .split('\n')
    .map((line) => line.replace(unsafe, escapeUnits))
    .join('\n');
}

function escapeUnits(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}
