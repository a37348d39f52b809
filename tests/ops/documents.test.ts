import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const inDocs = (await readdir(join(root, 'docs'), { recursive: true }))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const documents = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md', 'client/README.md', ...inDocs];

/** Their links are paths of the site. */
const guides = (await readdir(join(root, 'docs-site/guides'))).map((name) => `docs-site/guides/${name}`);

const linked = /\]\((?!https?:|#)([^)#\s]+)/g;
const folders = 'router|engine|server|contracts|sandbox|client|docs-site|docs|ops|tools|tests|bench|examples';
const named = new RegExp(`\`((?:${folders})/[\\w./,{}-]+)\``, 'g');

/** Expands `a/{b,c}.ts` to `a/b.ts` and `a/c.ts`. */
const expand = (path: string): string[] => {
  const [, before = '', names, after = ''] = /^(.*)\{(.+)\}(.*)$/.exec(path) ?? [];
  return names === undefined ? [path] : names.split(',').map((name) => before + name + after);
};

test.each(documents)('%s links only to files that exist', async (document) => {
  const text = await readFile(join(root, document), 'utf8');
  const paths = [...text.matchAll(linked)].map(([, path]) => join(root, dirname(document), path ?? ''));
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});

test.each([...documents, ...guides])('%s mentions only files and folders that exist', async (document) => {
  const text = await readFile(join(root, document), 'utf8');
  const paths = [...text.matchAll(named)].flatMap(([, path]) => expand(path ?? ''));
  expect(paths.filter((path) => !path.includes('NNN') && !existsSync(join(root, path)))).toEqual([]);
});

test('ARCHITECTURE.md has at most 150 lines', async () => {
  const text = await readFile(join(root, 'ARCHITECTURE.md'), 'utf8');
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});
