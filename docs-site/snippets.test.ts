import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StartedSandbox, startedSandbox } from '../tests/client/startedSandbox.ts';

// The examples of the first call, run as the page prints them.

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');

let house: StartedSandbox;
let folder: string;
beforeAll(async () => {
  house = await startedSandbox();
  // Inside the project, so that the examples find their packages.
  folder = await mkdtemp(join(root, '.snippets-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await house.close();
});

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

async function printed(label: string): Promise<string> {
  const page = await (await fetch(`${house.url}/guides/first-call`)).text();
  const block = page.split(`<figcaption>${label}</figcaption>`)[1]?.split('<code>')[1]?.split('</code>')[0] ?? '';
  return block.replaceAll(/<[^>]+>/g, '').replaceAll(/&([^;]+);/g, (whole, name: string) => entities[name] ?? whole);
}

test('default: the curl example ends in an answer', async () => {
  const script = (await printed('curl')).replaceAll('offer.txt', join(folder, 'offer.txt'));
  const { stdout } = await run('bash', ['-ec', script], { cwd: root });
  expect(stdout).toMatch(/^HTTP\/1\.1 200 OK/);
  expect(stdout).toMatch(/"amountOut":"[1-9]\d+"/);
});

test('default: the TypeScript example with the published packages prints an answer', async () => {
  await writeFile(join(folder, 'rest.mts'), await printed('TypeScript (REST)'));
  const env = { ...process.env, TRUEFILL_KEY: house.keyOf('demo') };
  const { stdout } = await run(process.execPath, ['--import', 'tsx', join(folder, 'rest.mts')], { cwd: root, env });
  expect(stdout).toMatch(/^200 \{/);
  expect(stdout).toMatch(/amountOut: '[1-9]\d+'/);
});

test('default: the Python example parses', async () => {
  await writeFile(join(folder, 'call.py'), await printed('Python'));
  await run('python3', ['-c', `import ast; ast.parse(open(${JSON.stringify(join(folder, 'call.py'))}).read())`]);
});
