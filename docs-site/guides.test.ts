import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { guides } from './guides.ts';
import { guideFlags, guideValues } from './guideValues.ts';
import { html } from './html.ts';
import { renderGuide } from './renderGuide.ts';
import type { SiteFacts } from './siteFacts.ts';

const root = join(import.meta.dirname, '..');
const nameOf = (path: string) => path.replace('/guides/', '');
const read = (name: string) => readFileSync(join(import.meta.dirname, 'guides', `${name}.md`), 'utf8');

function render(name: string, { mode = 'live', freeFirstCall = false } = {}): string {
  const [quote, check] = ['quote', 'check'].map((item) => ({
    ...{ name: item, path: `/v1/${item}`, aliases: ['/v1/alias'], priceUsd: '0.05', exampleAnswer: {}, freeFirstCall },
  }));
  const lists = { networks: ['eip155:1'], venues: [], confidence: [], flags: [], errors: [], variables: [] };
  const facts = { ...lists, mode, items: [quote, check], baseUrl: 'http://a', usdcName: 'USDC', version: '1' };
  const siteFacts = facts as unknown as SiteFacts;
  return renderGuide(read(name), guideValues[name]?.(siteFacts) ?? {}, guideFlags(siteFacts)).text;
}

test('default: every file is a guide, and every guide has a file', async () => {
  const files = (await readdir(join(import.meta.dirname, 'guides'))).map((file) => file.replace('.md', ''));
  expect(files.toSorted()).toEqual(guides.map(({ path }) => nameOf(path)).toSorted());
  expect(Object.keys(guideValues).toSorted()).toEqual(files.toSorted());
});

test.each(guides)('default: $path has a value for each placeholder, in both modes', ({ path }) => {
  for (const mode of ['sandbox', 'live']) {
    const text = render(nameOf(path), { mode });
    expect(text).toMatch(/^<h1>/);
    expect(text).not.toMatch(/\{\{|\}\}/);
  }
});

test('error: a placeholder without a value, and a value without a placeholder', () => {
  expect(() => renderGuide('{{a}} {{#b}}{{/b}}', {}, {})).toThrow('without a value: a, b');
  expect(() => renderGuide('text', { a: '1' }, { b: true })).toThrow('does not use its values: a');
});

test('default: renders captions, definitions, numbers and conditions', () => {
  const source = [
    '# T\n\nLead.\n\n`a`\n: First\nline.\n\nb\n: Second.\n\n{{#yes}}Y{{/yes}}{{#no}}N{{/no}}',
    '\n\n```json A caption\n{{x}}\n```\n\n| h | n |\n| --- | ---: |\n| c | 1200 |\n\n{{m}}\n',
  ].join('');
  const { text } = renderGuide(source, { x: '"<"', m: html`<hr>` }, { yes: true, no: false });
  expect(text).toContain('<p class="lead">Lead.</p>');
  expect(text).toContain('<dl>\n<dt><code>a</code></dt><dd>First\nline.</dd>\n<dt>b</dt><dd>Second.</dd>\n</dl>');
  expect(text).toContain('<p>Y</p>');
  expect(text).toContain('<figcaption>A caption</figcaption>');
  expect(text).toContain('&quot;&lt;&quot;');
  expect(text).toContain('<td>c</td><td class="num">1,200</td>');
  expect(text).toMatch(/\n<hr>\n?$/);
});

test('behavior: the guide to a verdict promises a free call only where there is one', () => {
  expect(render('verdict', { freeFirstCall: true })).toMatch(/first call of a wallet is\s+free/);
  expect(render('verdict')).not.toContain('free');
});

const threats = read('threats')
  .split('\n## ')
  .filter((section) => section.includes('\nAttacks\n: '))
  .map((section) => ({ who: section.split('\n')[0] ?? '', section }));

test.each(threats)('default: the tests named for "$who" exist', ({ section }) => {
  const [, named = ''] = /\nTests\n: ([\s\S]*?)\n\n/.exec(section) ?? [];
  const files = [...named.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    expect(existsSync(join(root, file)), file).toBe(true);
    expect(readFileSync(join(root, file), 'utf8'), file).toMatch(/\btest(\.each|\.skipIf)?\(/);
  }
});

test('default: every attacker has defences and a remaining risk', () => {
  expect(threats.length).toBeGreaterThan(10);
  for (const { section } of threats) expect(section).toMatch(/\nDefences\n: [\s\S]*\nRemaining risk\n: /);
});
