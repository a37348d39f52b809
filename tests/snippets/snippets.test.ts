import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client, x402HTTPClient } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { version } from '../../client/version.ts';
import { readConfig } from '../../server/config/index.ts';
import { openStores } from '../../server/storage/index.ts';
import { type StartedSandbox, startedSandbox } from '../client/startedSandbox.ts';
import { usdcOf } from '../support/buyer.ts';
import { type Block, readBlocks } from './blocks.ts';
import { snippets } from './snippets.ts';
import type { Actual, Way } from './ways.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

// Runs every code block of every document and page as it is printed. Only the sandbox's addresses are replaced.

const root = join(import.meta.dirname, '..', '..');
const hasGofmt = !spawnSync('gofmt', ['-h']).error;

let service: StartedSandbox;
let workspace: Workspace;
let blocks: Map<string, string>;
let actual: Record<Actual, unknown>;
beforeAll(async () => {
  service = await startedSandbox();
  workspace = await openWorkspace(service);
  blocks = new Map((await readBlocks(service.url)).map(({ key, source }: Block) => [key, source]));
  actual = await buy();
  await mkdir(join(workspace.folder, 'ledger'));
  await (await openStores({ file: join(workspace.folder, 'ledger', 'truefill.sqlite') }, Date.now)).close();
});
afterAll(async () => {
  await workspace?.close();
  await service?.close();
});

/** Buys a quote that one router can execute, stores it as `answer.json`, and returns each message of the purchase. */
async function buy(): Promise<Record<Actual, unknown>> {
  const send = (sizeIn: unknown, headers: Record<string, string> = {}) =>
    fetch(`${service.url}/v1/quote`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({
        tokenIn: '0x4200000000000000000000000000000000000006',
        tokenOut: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        sizeIn,
      }),
    });
  const offer = decodePaymentRequiredHeader((await send('0.05')).headers.get('payment-required') ?? '');
  const payer = new x402Client().register('eip155:*', new ExactEvmScheme(privateKeyToAccount(service.keyOf('demo'))));
  const payment = await payer.createPaymentPayload(offer);
  const response = await send('0.05', new x402HTTPClient(payer).encodePaymentSignatureHeader(payment));
  await writeFile(join(workspace.folder, 'answer.json'), await response.text());
  const receipt = decodePaymentResponseHeader(response.headers.get('payment-response') ?? '');
  return { offer, payment, receipt, error: await (await send(2.5)).json() };
}

/** Parses JSON in which `…` stands for what was left out, and `<words>` for a value. */
const parseShortened = (source: string): unknown =>
  JSON.parse(
    source
      .replaceAll(/<[^>]*>/g, '"…"')
      .replaceAll(', …', '')
      .replaceAll('{ … }', '{}'),
  );

/** Fails unless each member of the sample is in the actual value. */
function expectPart(sample: unknown, value: unknown, path: string): void {
  if (typeof sample === 'string' && sample.includes('…')) {
    const [before = '', after = ''] = sample.split('…');
    if (sample !== '…') {
      expect(value, path).toSatisfy((text: string) => text.startsWith(before) && text.endsWith(after));
    } else expect(value, path).toBeDefined();
  } else if (typeof sample === 'object' && sample !== null) {
    for (const [name, member] of Object.entries(sample)) {
      expect(value, path).toHaveProperty([name]);
      expectPart(member, (value as Record<string, unknown>)[name], `${path}.${name}`);
    }
  } else expect(value, path).toEqual(sample);
}

/** The variables of an environment file, with values of the sandbox for those that are left out. */
function readVariables(source: string): Record<string, string> {
  const wallet = service.sandbox.wallets.find(({ role }) => role === 'facilitator');
  const values: Record<string, string | undefined> = {
    PAY_TO_EVM: service.sandbox.wallets.find(({ role }) => role === 'payTo')?.address,
    FACILITATOR_KEY_EVM: wallet?.privateKey,
  };
  const lines = source
    .trim()
    .split('\n')
    .map((line) => line.replace(/\s+#.*/, '').split('='));
  return Object.fromEntries(
    lines.map(([name = '', value = '']) => [
      name,
      values[name] ?? value.replaceAll('…', '.example').replace(/^\./, 'https://a.'),
    ]),
  );
}

async function listTools(source: string): Promise<string[]> {
  const { mcpServers } = JSON.parse(source.replace('<clone of the project>', workspace.folder)) as {
    mcpServers: { truefill: { command: string; args: string[]; env?: Record<string, string> } };
  };
  const { command, args, env = {} } = mcpServers.truefill;
  const key = 'TRUEFILL_KEY' in env ? { TRUEFILL_KEY: service.keyOf('demo') } : {};
  const path = `${join(workspace.folder, 'bin')}:${process.env.PATH}`;
  const client = new Client({ name: 'a host', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: command === 'truefill' ? join(workspace.folder, 'bin', command) : command,
      args,
      cwd: workspace.folder,
      env: { HOME: workspace.folder, PATH: path, TRUEFILL_URL: service.url, ...key },
      stderr: 'pipe',
    }),
  );
  try {
    return (await client.listTools()).tools.map(({ name }) => name);
  } finally {
    await client.close();
  }
}

/** By source: some pages print the same block. */
const outputs = new Map<string, Promise<string>>();

async function check(way: Way, printed: string): Promise<void> {
  switch (way.kind) {
    case 'shell':
    case 'program': {
      const filled = way.fill.reduce((text, [from, to]) => text.replaceAll(from, to), printed);
      const source = workspace.localise([way.before, filled, way.after].join('\n'));
      outputs.set(source, outputs.get(source) ?? workspace[way.kind](source));
      expect(await outputs.get(source)).toMatch(way.prints);
      return;
    }
    case 'json': {
      const sample = parseShortened(printed);
      if (way.like) expectPart(sample, actual[way.like], way.like);
      return;
    }
    case 'syntax': {
      const file = join(workspace.folder, way.of === 'go' ? 'main.go' : 'call.py');
      await writeFile(file, way.of === 'go' ? `${printed}\n` : printed);
      const parse = `import ast; ast.parse(open(${JSON.stringify(file)}).read())`;
      if (way.of === 'python') await promisify(execFile)('python3', ['-c', parse]);
      else if (hasGofmt) expect((await promisify(execFile)('gofmt', ['-d', file])).stdout).toBe('');
      return;
    }
    case 'configuration':
      expect(readConfig(readVariables(printed)).mode).toBe('live');
      return;
    case 'mcpHost':
      expect(await listTools(printed)).toEqual(expect.arrayContaining(['quote', 'pretrade_check']));
      return;
    case 'testedBy':
      expect(existsSync(join(root, way.file)), way.file).toBe(true);
      expect([`'${way.title}'`, `\`${way.title}\``]).toSatisfy((titles: string[]) => {
        const text = readFileSync(join(root, way.file), 'utf8');
        return titles.some((title) => text.includes(title));
      }, way.title);
      return;
    case 'notRun':
      expect(way.reason.length).toBeGreaterThan(10);
  }
}

test('default: the table has exactly the blocks of the documents and pages', () => {
  expect(Object.keys(snippets).toSorted()).toEqual([...blocks.keys()].toSorted());
});

test.each(Object.entries(snippets).flatMap(([key, ways]) => [ways].flat().map((way) => [key, way.kind, way] as const)))(
  'default: %s (%s)',
  async (key, _kind, way) => check(way, blocks.get(key) ?? ''),
);

test('default: every npm script that a block names exists', async () => {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const [key, source] of blocks) {
    const named = [...source.matchAll(/\bnpm run (?:-s )?([a-z][\w:-]*)/g)].map(([, name = '']) => name);
    expect(
      named.filter((name) => !(name in scripts)),
      key,
    ).toEqual([]);
  }
});

test('default: a block that names the tarball of the client names its version', () => {
  for (const [key, source] of blocks)
    for (const [, named] of source.matchAll(/truefill-client-([\w.]+)\.tgz/g)) expect(named, key).toBe(version);
});

test('default: no block abbreviates an address inside a command', () => {
  for (const [key, source] of blocks) expect(source, key).not.toMatch(/0x[0-9a-fA-F]+…/);
});

test('behavior: the curl example of the README pays once', async () => {
  const base = service.sandbox.chains.base as unknown as { rpcUrl: string; usdc: `0x${string}` };
  const payTo = service.sandbox.wallets.find(({ role }) => role === 'payTo')?.address as `0x${string}`;
  const before = await usdcOf(base, payTo);
  const [key = ''] = [...blocks.keys()].filter((name) => name.startsWith('README.md: BODY='));
  await workspace.shell(workspace.localise((blocks.get(key) ?? '').replace('"2.5"', '"2.25"')));
  expect((await usdcOf(base, payTo)) - before).toBe(20_000n);
});
