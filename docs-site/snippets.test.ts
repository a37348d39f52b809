import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StartedSandbox, startedSandbox } from '../tests/client/startedSandbox.ts';
import { printedExample } from '../tests/support/printedExample.ts';

// The examples of the first call, run as the page prints them.

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');

let service: StartedSandbox;
let folder: string;
beforeAll(async () => {
  service = await startedSandbox();
  // Inside the project, so that the examples find their packages.
  folder = await mkdtemp(join(root, '.snippets-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await service.close();
});

/** The text of a page's code block. */
const printed = (label: string, block?: { path?: string; index?: number }) => printedExample(service.url, label, block);

/** Runs a TypeScript example with the demo wallet. */
async function runScript(name: string, source: string): Promise<string> {
  await writeFile(join(folder, name), source);
  const env = { ...process.env, TRUEFILL_KEY: service.keyOf('demo') };
  const { stdout } = await run(process.execPath, ['--import', 'tsx', join(folder, name)], { cwd: root, env });
  return stdout;
}

// The reference prints the examples of the quote first, then those of the check.
const answers = [/amountOut\W+[1-9]\d+/, /verdict\W+clear/] as const;

test('default: the curl example ends in an answer', async () => {
  const script = (await printed('curl')).replaceAll('offer.txt', join(folder, 'offer.txt'));
  const { stdout } = await run('bash', ['-ec', script], { cwd: root });
  expect(stdout).toMatch(/^HTTP\/1\.1 200 OK/);
  expect(stdout).toMatch(/"amountOut":"[1-9]\d+"/);
});

test.each(answers.map((answer, index) => [index, answer] as const))(
  'default: the TypeScript examples over REST print an answer (%d)',
  async (index, answer) => {
    const source = await printed('TypeScript (REST)', { path: '/reference', index });
    expect(await runScript('rest.mts', source)).toMatch(answer);
  },
);

test('default: the printed wallet is the demo wallet', async () => {
  const { stdout } = await run('bash', ['-ec', `${await printed('The wallet')}\nprintf %s "$TRUEFILL_KEY"`]);
  expect(stdout).toBe(service.keyOf('demo'));
});

test('default: the lines for a terminal print a quote and a check', async () => {
  const { stdout } = await run('bash', ['-ec', await printed('Command line')], { cwd: root });
  expect(stdout).toMatch(/USDC for 1 WETH/);
  expect(stdout).toMatch(/None of the listed traps is proven/);
});

test('default: the MCP example prints a quote, in the earlier revisions too', async () => {
  const source = await printed('A tool call, paid', { path: '/guides/agents' });
  expect(await runScript('mcp.mts', source)).toMatch(answers[0]);
  const [from, to] = [
    "import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';",
    "import { Client } from '@modelcontextprotocol/sdk/client/index.js';\nimport { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';",
  ];
  expect(source).toContain(from);
  expect(await runScript('mcp-earlier.mts', source.replace(from, to))).toMatch(answers[0]);
});

test('default: the Python example parses', async () => {
  await writeFile(join(folder, 'call.py'), await printed('Python'));
  await run('python3', ['-c', `import ast; ast.parse(open(${JSON.stringify(join(folder, 'call.py'))}).read())`]);
});

test.skipIf(spawnSync('gofmt', ['-h']).error)('default: the Go example is formatted as gofmt formats it', async () => {
  await writeFile(join(folder, 'main.go'), `${await printed('Go')}\n`);
  expect((await run('gofmt', ['-d', join(folder, 'main.go')])).stdout).toBe('');
});
