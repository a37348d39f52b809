import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { auditLock, type Lock, type Manifest } from './auditLock.ts';

const root = join(import.meta.dirname, '..', '..');
const load = (name: string) => readFile(join(root, name), 'utf8');
const npmrc = await load('.npmrc');
const manifest = JSON.parse(await load('package.json')) as Manifest;
const lock = JSON.parse(await load('package-lock.json')) as Lock;

test('default: the committed lockfile has no faults', () => {
  expect(auditLock(manifest, lock, npmrc)).toEqual([]);
});

/** The real lockfile with one package changed or added. */
function faultsWith(entry: Partial<Lock['packages'][string]>, path = 'node_modules/pino'): string[] {
  const packages = { ...lock.packages, [path]: { ...lock.packages[path], ...entry } };
  return auditLock(manifest, { ...lock, packages }, npmrc);
}
const sound = { version: '1.0.0', integrity: `sha512-${'A'.repeat(86)}==`, license: 'MIT' };

test.each([
  ['no SHA-512', { integrity: '' }],
  ['no SHA-512', { integrity: 'sha1-AAAA' }],
  ['resolved from git', { resolved: 'git+ssh://git@example.com/x.git#abc' }],
  ['resolved from http:', { resolved: 'http://example.com/x.tgz' }],
  ['resolved from file:', { resolved: 'file:../x.tgz' }],
  ['no exact version', { version: '^1.0.0' }],
  ['not allowed in production', { license: 'GPL-3.0' }],
  ['not allowed in production', { license: 'MPL-2.0' }],
  ['install script', { hasInstallScript: true }],
  ['outside node_modules', { link: true }],
])('error: %s', (words, entry) => {
  const faults = faultsWith(entry);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(words);
});

test('behavior: development packages may be copyleft; unreviewed licences are rejected', () => {
  expect(faultsWith({ ...sound, dev: true, license: 'GPL-3.0' }, 'node_modules/x')).toEqual([]);
  expect(faultsWith({ ...sound, dev: true, license: '' }, 'node_modules/x')).toHaveLength(1);
  expect(faultsWith({ ...sound, license: '' }, 'node_modules/memorystream-of-another')).toHaveLength(1);
});

test('error: a version range, and a lockfile that does not match the manifest', () => {
  const ranged = { ...manifest, dependencies: { ...manifest.dependencies, pino: '^10.4.0' } };
  expect(auditLock(ranged, lock, npmrc).join(' ')).toMatch(/not an exact version.*but 10\.[\d.]+ is locked/);
  const { pino: _, ...rest } = manifest.dependencies ?? {};
  expect(auditLock({ ...manifest, dependencies: rest }, lock, npmrc)).toEqual([
    'pino is locked, but package.json does not require it.',
  ]);
});

test('error: enabled install scripts, and a rule for a removed package', () => {
  expect(auditLock(manifest, lock, 'save-exact=true')).toEqual(['.npmrc lacks ignore-scripts=true. Add that line.']);
  const { 'node_modules/@scarf/scarf': _, ...packages } = lock.packages;
  expect(auditLock(manifest, { ...lock, packages }, npmrc).join()).toContain('@scarf/scarf');
});
