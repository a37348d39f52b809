import { Marked, type TokenizerAndRendererExtension, type Tokens } from 'marked';
import { code } from './code.ts';
import type { Language } from './highlight.ts';
import { Markup } from './html.ts';
import { table } from './table.ts';

/** Values of a guide's `{{name}}`. Markup stands in a paragraph of its own; text may stand anywhere, also in code. */
export type GuideValues = Readonly<Record<string, Markup | string>>;
/** Conditions of a guide's `{{#name}}…{{/name}}`. */
export type GuideFlags = Readonly<Record<string, boolean>>;

interface Definitions extends Tokens.Generic {
  items: { term: Tokens.Generic[]; text: Tokens.Generic[] }[];
}

/** A term in a line, below it `: ` and its definition, up to an empty line. */
const definitions: TokenizerAndRendererExtension = {
  name: 'definitions',
  level: 'block',
  tokenizer(source) {
    const item = /([^\n]+)\n: ([^\n]+(?:\n[^\n]+)*)(?:\n+|$)/y;
    const found: Definitions = { type: 'definitions', raw: '', items: [] };
    for (let match = item.exec(source); match; match = item.exec(source)) {
      const [raw, term = '', text = ''] = match;
      found.raw += raw;
      found.items.push({ term: this.lexer.inlineTokens(term), text: this.lexer.inlineTokens(text) });
    }
    return found.items.length > 0 ? found : undefined;
  },
  renderer(token) {
    const inline = (tokens: Tokens.Generic[]) => this.parser.parseInline(tokens);
    const { items } = token as Definitions;
    return `<dl>\n${items.map(({ term, text }) => `<dt>${inline(term)}</dt><dd>${inline(text)}</dd>\n`).join('')}</dl>\n`;
  },
};

const marked = new Marked({
  extensions: [definitions],
  renderer: {
    /** The first word after the fence is the language, the others are the caption. */
    code({ text, lang = '' }) {
      const [language = 'text', ...caption] = lang.split(' ');
      return `${code(text, caption.join(' '), language as Language).text}\n`;
    },
    /** A column that is aligned to the right contains numbers. */
    table({ header, rows }) {
      const markup = ({ tokens }: Tokens.TableCell) => new Markup(this.parser.parseInline(tokens));
      const isNumber = header.map(({ align }) => align === 'right');
      const cells = rows.map((row) => ({
        cells: row.map((cell, at) => (isNumber[at] ? Number(cell.text.replaceAll(',', '')) : markup(cell))),
      }));
      return table(header.map(markup), cells, { stack: !isNumber.includes(true) }).text;
    },
  },
});

/**
 * Renders a guide: Markdown with code blocks that have captions, and lists of definitions.
 * @throws {TypeError} a placeholder without a value, or a value without a placeholder
 */
export function renderGuide(source: string, values: GuideValues, flags: GuideFlags): Markup {
  const named = new Set([...source.matchAll(/\{\{[#/]?(\w+)\}\}/g)].map(([, name = '']) => name));
  const unknown = [...named].filter((name) => !(name in values) && !(name in flags));
  const unused = Object.keys(values).filter((name) => !named.has(name));
  if (unknown.length > 0) throw new TypeError(`A guide has placeholders without a value: ${unknown.join(', ')}.`);
  if (unused.length > 0) throw new TypeError(`A guide does not use its values: ${unused.join(', ')}.`);
  const chosen = source.replace(/\{\{#(\w+)\}\}([\s\S]*?)\{\{\/\1\}\}/g, (_, name: string, part: string) =>
    flags[name] ? part : '',
  );
  const filled = chosen.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => {
    const value = values[name];
    return typeof value === 'string' ? value : whole;
  });
  const markup = marked
    .parse(filled, { async: false })
    // Anchors are made of titles with plain apostrophes.
    .replaceAll('&#39;', "'")
    .replace('</h1>\n<p>', '</h1>\n<p class="lead">')
    .replace(/<p>\{\{(\w+)\}\}<\/p>/g, (whole, name: string) => {
      const value = values[name];
      return value instanceof Markup ? value.text : whole;
    });
  return new Markup(markup);
}
