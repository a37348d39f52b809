import { html, type Markup } from './html.ts';

export type Language = 'sh' | 'json' | 'ts' | 'python' | 'go' | 'http' | 'text';

const strings = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`;
const numbers = String.raw`\b0x[0-9a-fA-F]+\b|\b\d[\d_]*(?:\.\d+)?\b`;
const words = (list: string) => String.raw`\b(?:${list.split(' ').join('|')})\b`;

/** Token patterns by language, in order of precedence: comment, string, number, keyword. */
const grammars: Record<Exclude<Language, 'text'>, readonly [comment: string, string: string, keyword: string]> = {
  sh: [String.raw`(?:^|(?<=\s))#[^\n]*`, strings, words('curl npm npx export set pip go jq base64 python3 if then fi')],
  json: ['(?!)', strings, words('true false null')],
  ts: [
    String.raw`\/\/[^\n]*`,
    `${strings}|\`(?:[^\`\\\\]|\\\\.)*\``,
    words(
      'import from export const let await async return if throw new type as typeof instanceof true false null for of',
    ),
  ],
  python: [
    '#[^\\n]*',
    `[fb]?(?:${strings})`,
    words('import from def return if else with as for in while raise True False None class try except'),
  ],
  go: [
    String.raw`\/\/[^\n]*`,
    `${strings}|\`[^\`]*\``,
    words('package import func return if err nil defer var const type struct range for else'),
  ],
  http: ['(?!)', strings, String.raw`^HTTP\/[\d.]+ \d+[^\n]*|^[A-Za-z-]+(?=:)`],
};

/** Source text with its comments, strings, numbers and keywords in spans. */
export function highlight(source: string, language: Language): Markup {
  if (language === 'text') return html`${source}`;
  const [comment, string, keyword] = grammars[language];
  // In a shell line numbers are parts of addresses.
  const number = language === 'sh' ? '(?!)' : numbers;
  const pattern = new RegExp(`(?<c>${comment})|(?<s>${string})|(?<n>${number})|(?<k>${keyword})`, 'gm');
  const parts: (Markup | string)[] = [];
  let at = 0;
  for (const match of source.matchAll(pattern)) {
    const { c, s, n } = match.groups ?? {};
    const [text] = match;
    parts.push(source.slice(at, match.index));
    at = match.index + text.length;
    // A JSON key is a string followed by a colon.
    const isKey = language === 'json' && s !== undefined && /^\s*:/.test(source.slice(at));
    const kind = c !== undefined ? 'c' : isKey ? 'k' : s !== undefined ? 's' : n !== undefined ? 'n' : 'k';
    parts.push(html`<span class="${kind}">${text}</span>`);
  }
  return html`${[...parts, source.slice(at)]}`;
}
