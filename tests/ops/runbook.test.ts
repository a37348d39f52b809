import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { exposedMetrics } from './exposed.ts';

// A page that an alert links to must exist, and must name only metrics, variables and commands that exist.

const root = join(import.meta.dirname, '..', '..');
const runbook = join(root, 'ops', 'runbook');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Rule {
  alert: string;
  labels: { severity: string };
  annotations: Record<string, string>;
}
const rules = (parse(read('ops/alerts.yaml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
const pages = await Promise.all(
  (await readdir(runbook, { recursive: true }))
    .filter((name) => name.endsWith('.md'))
    .map(async (name) => ({ name, text: await readFile(join(runbook, name), 'utf8') })),
);
const pageOf = (path: string | undefined) => pages.find(({ name }) => join('ops', 'runbook', name) === path);
const linksOf = (text: string) => [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);

test.each(rules)(
  'alert $alert links to its page: meaning, what to look at, what to do',
  ({ alert, labels, annotations }) => {
    expect(annotations.runbook).toBe(`ops/runbook/alerts/${alert}.md`);
    const text = pageOf(annotations.runbook)?.text ?? '';
    expect(text).toContain(`# ${alert}\n\nSeverity: ${labels.severity}.\n`);
    const sections = text.split(/^## /m).slice(1);
    expect(sections.map((section) => section.split('\n')[0])).toEqual([
      'What it means',
      'What to look at',
      'What to do',
    ]);
    for (const section of sections) expect(section.split('\n').slice(1).join(' ').trim().length).toBeGreaterThan(40);
  },
);

test('every page of an alert belongs to a rule, and the index lists every page', () => {
  const known = new Set(rules.map(({ alert }) => `alerts/${alert}.md`));
  expect(pages.filter(({ name }) => name.startsWith('alerts/') && !known.has(name))).toEqual([]);
  const listed = linksOf(pages.find(({ name }) => name === 'README.md')?.text ?? '');
  expect(pages.map(({ name }) => name).filter((name) => name !== 'README.md' && !listed.includes(name))).toEqual([]);
});

test.each(pages)('every link of $name leads to a file', ({ name, text }) => {
  const missing = linksOf(text).filter((link) => {
    const target = relative(runbook, resolve(runbook, dirname(name), link));
    return target !== '../alerts.yaml' && !pages.some((page) => page.name === target);
  });
  expect(missing).toEqual([]);
});

test('pages name only metrics, variables and commands that exist', async () => {
  const exposed = await exposedMetrics();
  const variables = read('ops/truefill.env.example');
  const commands = { ledger: read('server/ledgerCommand/main.ts'), index: read('server/indexCommand/main.ts') };
  for (const { name, text } of pages) {
    for (const [metric] of text.matchAll(/\b(?:truefill|nodejs)_[a-z0-9_]+/g))
      expect(
        [...exposed.keys()].some((known) => known === metric || known.startsWith(`${metric}_`)),
        metric,
      ).toBe(true);
    const named = [...text.matchAll(/(?<!flag )`([A-Z]{2,}_[A-Z_]+)(?:…|=[^`]*)?`/g)].map(
      ([, variable = '']) => variable,
    );
    expect(
      named.filter((variable) => !variables.includes(variable)),
      name,
    ).toEqual([]);
    for (const [script, usage] of Object.entries(commands))
      for (const [, command = ''] of text.matchAll(new RegExp(`npm run ${script} -- (\\w+)`, 'g')))
        expect(usage, `${name}: ${command}`).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
  }
});
