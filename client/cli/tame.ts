/**
 * What moves a terminal's cursor, turns its text around or hides in it: controls, direction marks, zero-width
 * characters, tags, line separators. Token makers write into names what they like.
 */
const wild = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A string from outside as it may stand in a terminal: on one line, without tricks, and not for ever. */
export function tame(text: string, longest = 400): string {
  const plain = text.replace(wild, '\u00b7');
  return plain.length > longest ? `${plain.slice(0, longest)}…` : plain;
}

/** JSON that parses to the very same value, with everything wild in it escaped. */
export function tameJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .split('\n')
    .map((line) => line.replace(wild, escapeUnits))
    .join('\n');
}

function escapeUnits(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}
