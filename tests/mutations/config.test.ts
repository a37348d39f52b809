import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const { mutate } = JSON.parse(readFileSync(join(import.meta.dirname, 'stryker.config.json'), 'utf8')) as {
  mutate: string[];
};

/** The folders whose modules decide whether money moves, and what a client reads about it. */
const folders = [
  ...['server/payments', 'server/storage', 'server/rpc', 'client/pay'],
  ...['engine/chain', 'engine/quote/funding', 'engine/quote/transaction'],
];

const toRegExp = (pattern: string) =>
  new RegExp(`^${pattern.replace('**/', '\0').replace('*', '[^/]*').replace('\0', '(.*/)?')}$`);
const included = mutate.filter((pattern) => !pattern.startsWith('!')).map(toRegExp);
const excluded = mutate.filter((pattern) => pattern.startsWith('!')).map((pattern) => toRegExp(pattern.slice(1)));

const sourcesOf = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => file.endsWith('.ts') && !/(\.test|\/test[A-Z]\w*)\.ts$/.test(file));

test.each(folders)('npm run prove:mutations changes every module of %s', (folder) => {
  const sources = sourcesOf(folder);
  const unchanged = sources.filter(
    (file) => !included.some((pattern) => pattern.test(file)) || excluded.some((pattern) => pattern.test(file)),
  );
  expect(sources).not.toEqual([]);
  expect(unchanged).toEqual([]);
});

test('each listed module exists', () => {
  const sources = ['engine', 'router', 'server', 'client'].flatMap(sourcesOf);
  const missing = included.filter((pattern) => !sources.some((file) => pattern.test(file)));
  expect(missing).toEqual([]);
});
