/**
 * Text from a token, made safe to print: control characters, bidirectional overrides and other invisible format
 * characters fall away, runs of white space become one space, the rest is cut to `most` characters.
 */
export function sanitizeText(text: string, most: number): string {
  const visible = text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\u2028\u2029]/gu, ' ')
    // Piled-up combining marks overprint the lines around them.
    .replace(/(\p{M}{2})\p{M}+/gu, '$1')
    .replace(/\s+/gu, ' ')
    .trim();
  const characters = [...visible];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : visible;
}
