import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

// The types that openapi-typescript generates from the document compile, and reject wrong bodies.

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const generator = join(root, 'node_modules', 'openapi-typescript', 'bin', 'cli.js');
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

const bodies = `
import type { paths } from './api.js';
type BodyOf<Path extends keyof paths> = paths[Path] extends
  { post: { requestBody: { content: { 'application/json': infer Body } } } } ? Body : never;
type Quote = BodyOf<'/v1/quote'>;
type Check = BodyOf<'/v1/pretrade/check'> & BodyOf<'/v1/token-safety'> & BodyOf<'/v1/rug-check'>;
`;
const right = `
const address = '0x4200000000000000000000000000000000000006';
export const quotes: Quote[] = [
  { tokenIn: address, tokenOut: address, sizeIn: '1.5' },
  { tokenIn: address, tokenOut: address, sizeUSD: '2500', chain: 'base' },
];
export const check: Check = { token: address, sizeUSD: '1000' };
`;
const wrong: [what: string, statement: string][] = [
  ['a number as size', `const body: Quote = { tokenIn: '', tokenOut: '', sizeIn: 1.5 };`],
  ['a missing token', `const body: Quote = { tokenIn: '', sizeIn: '1.5' };`],
  ['an unknown property', `const body: Quote = { tokenIn: '', tokenOut: '', sizeIn: '1', more: 1 };`],
  ['an unknown chain', `const body: Quote = { tokenIn: '', tokenOut: '', sizeIn: '1', chain: 'ethereum' };`],
  ['a number as size of a check', `const body: Check = { token: '', sizeUSD: 1000 };`],
];

/** The files with compiler errors. One compiler run for all files, because its start takes most of the time. */
let faulty: string[];
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'truefill-types-'));
  const withTypescript5 = ['--import', join(import.meta.dirname, 'typescript5.mjs')];
  const document = join(root, 'openapi.json');
  await run(process.execPath, [...withTypescript5, generator, document, '-o', join(folder, 'api.d.ts')], { cwd: root });
  faulty = await compile({
    'right.ts': bodies + right,
    ...Object.fromEntries(wrong.map(([, text], index) => [`wrong${index}.ts`, `${bodies}${text}\nexport { body };`])),
  });
});
afterAll(async () => {
  if (folder) await rm(folder, { recursive: true });
});

async function compile(files: Record<string, string>): Promise<string[]> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const compilerOptions = { strict: true, noEmit: true, module: 'NodeNext', target: 'ES2022', types: [] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(files) }));
  const output = await run(process.execPath, [tsc, '-p', '.'], { cwd: folder }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
  return output.split('\n').flatMap((line) => /^(\S+)\(\d+,\d+\): error TS/.exec(line)?.[1] ?? []);
}

test('default: openapi-typescript generates a typed request body for every paid path', () => {
  expect(faulty).not.toContain('right.ts');
  // Only the wrong files have errors, so the generated file compiles.
  expect(new Set(faulty).size).toBe(wrong.length);
});

test.each(wrong.map(([what], index) => [what, `wrong${index}.ts`]))(
  'error: the generated type rejects %s',
  (_, file) => {
    expect(faulty).toContain(file);
  },
);
