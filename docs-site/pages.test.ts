import { expect, test } from 'vitest';
import { anchorHeadings } from './headings.ts';
import { highlight } from './highlight.ts';
import { html, Markup } from './html.ts';
import { searchIndex } from './searchIndex.ts';
import { table } from './table.ts';

test('default: headings get ids that are unique, and a link to themselves', () => {
  const { markup, sections } = anchorHeadings(
    '<h2>Native coin &amp; tokens</h2><h2>Flags</h2><h3>Flags</h3><h2 id="free">F</h2>',
  );
  expect(sections.map(({ id }) => id)).toEqual(['native-coin-tokens', 'flags', 'flags-2', 'free']);
  for (const { id } of sections) expect(markup).toContain(`href="#${id}"`);
});

test('default: the index has one entry for each section, with its text and anchor', () => {
  const body = html`<h1>Quote</h1><p>Intro</p><h2>Flags</h2><p>A &lt;b&gt; ${'<i>'}</p>`;
  expect(searchIndex([{ path: '/guides/quote', title: 'Reading', about: '', body }])).toEqual([
    { url: '/guides/quote', page: 'Reading', title: 'Reading', text: 'Quote Intro' },
    { url: '/guides/quote#flags', page: 'Reading', title: 'Flags', text: 'A <b> <i>' },
  ]);
});

test.each([
  ['json', '{ "a": "<b>", "n": 12, "t": true }', ['k', 's', 'k', 'n', 'k', 'k']],
  ['ts', "const a = 'x'; // why", ['k', 's', 'c']],
  ['python', 'import os  # why', ['k', 'c']],
  ['sh', "curl -d '{}' http://a/b#c", ['k', 's']],
] as const)('default: %s is highlighted, and its text stays as it was', (language, source, kinds) => {
  const { text } = highlight(source, language);
  expect([...text.matchAll(/class="(\w)"/g)].map(([, kind]) => kind)).toEqual(kinds);
  const plain = text.replaceAll(/<[^>]+>/g, '');
  expect(plain).toBe(html`${source}`.text);
  expect(new Markup(plain).text).not.toContain('<b>');
});

test('default: each cell of a table has the heading of its column, and text between backticks is code', () => {
  const { text } = table(['Name', html`<b>What</b>`], [{ cells: ['a', 'the `b` <c>'] }], { label: 'A & B' });
  expect(text).toContain('<td data-head="Name">a</td><td data-head="What">');
  expect(text).toContain('the <code>b</code> &lt;c&gt;</td>');
  expect(text).toContain('aria-label="A &amp; B"');
  expect(table(['N'], [{ cells: [1234] }], { stack: false }).text).toContain('<td class="num">1,234</td>');
});
