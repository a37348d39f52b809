import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { x402Client } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment } from '@x402/fetch';
import type { Address } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StartedSandbox, startedSandbox } from '../../client/startedSandbox.ts';
import { usdcOf } from '../../support/buyer.ts';
import { findWallet } from '../../support/findWallet.ts';
import { findPeer } from '../peers.ts';
import type { GeneratedClient } from './generatedClient.ts';
import { generators, generatorsPeer, packagesOf } from './generators.ts';

// Clients that five generators write from the published document: they compile under strict TypeScript, type the 402 and
// the answers, and accept real ones.

const run = promisify(execFile);
const isInstalled = findPeer(generatorsPeer) !== undefined;
const root = join(import.meta.dirname, '..', '..', '..');
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const names = Object.keys(generators);
const weth: Address = '0x4200000000000000000000000000000000000006';
const usdc: Address = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

let service: StartedSandbox;
let folder: string;
/** What the compiler reports, a line for each error. */
let errors: string[];
beforeAll(async () => {
  if (!isInstalled) return;
  service = await startedSandbox();
  folder = await mkdtemp(join(tmpdir(), 'truefill-generated-'));
  const document = await (await fetch(`${service.url}/openapi.json`)).text();
  for (const name of names) await generate(name, document);
  errors = await compile();
});
afterAll(async () => {
  await service?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

const folderOf = (name: string) => join(folder, name.replaceAll(/\W+/g, '-'));

/** The type that each program is checked against. */
const types = `
import type { GeneratedClient } from '${join(import.meta.dirname, 'generatedClient.ts')}';
type Create = (baseUrl: string, send: typeof fetch) => GeneratedClient;`;

/** Generates a client, and writes a program that uses it beside it. */
async function generate(name: string, document: string): Promise<void> {
  const generator = generators[name];
  if (!generator) throw new Error(`No generator ${name}.`);
  const own = folderOf(name);
  await mkdir(join(own, 'out'), { recursive: true });
  await symlink(packagesOf(name), join(own, 'node_modules'));
  const [file, text] = generator.config ?? [];
  if (file && text) await writeFile(join(own, file), text);
  await writeFile(join(own, 'package.json'), '{ "type": "module" }');
  await writeFile(join(own, 'openapi.json'), document);
  await writeFile(join(own, 'program.ts'), generator.program + types);
  const env = {
    ...process.env,
    PATH: `${join(packagesOf(name), '.bin')}:${process.env.PATH}`,
    TRUEFILL_URL: service.url,
  };
  await run('bash', ['-ec', generator.command], { cwd: own, env });
}

async function compile(): Promise<string[]> {
  const compilerOptions = {
    ...{ strict: true, noUncheckedIndexedAccess: true, noEmit: true, skipLibCheck: true, types: [] },
    ...{ module: 'ESNext', moduleResolution: 'bundler', target: 'ES2023', lib: ['ES2023', 'DOM', 'DOM.Iterable'] },
    allowImportingTsExtensions: true,
  };
  const files = names.map((name) => join(folderOf(name), 'program.ts'));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const output = await run(process.execPath, [tsc, '-p', '.'], { cwd: folder }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
  return output.split('\n').filter((line) => line.includes(': error TS'));
}

/** The program of a generator. With a payment its client pays with the demo wallet. */
async function open(name: string, pays: boolean): Promise<GeneratedClient> {
  const { create } = await import(pathToFileURL(join(folderOf(name), 'program.ts')).href);
  const scheme = new ExactEvmScheme(privateKeyToAccount(service.keyOf('demo')));
  const client = x402Client.fromConfig({ schemes: [{ network: 'eip155:8453', client: scheme }] });
  return create(service.url, pays ? wrapFetchWithPayment(plainFetch, client) : plainFetch);
}
const plainFetch = fetch;

function received(): Promise<bigint> {
  const { chains, wallets } = service.sandbox;
  const { rpcUrl = '' } = chains.base ?? {};
  return usdcOf({ rpcUrl, usdc }, findWallet(wallets, 'payTo').address as Address);
}

const order = { tokenIn: weth, tokenOut: usdc, sizeIn: '0.25' };

test.skipIf(!isInstalled)('every generated client compiles under strict TypeScript', () => {
  expect(errors).toEqual([]);
});

test.skipIf(!isInstalled).each(names)('the client of %s reads the price from the typed 402', async (name) => {
  const before = await received();
  expect(await (await open(name, false)).price(order)).toBe('20000');
  expect(await received()).toBe(before);
});

test.skipIf(!isInstalled).each(names)(
  'the client of %s buys a quote and checks, and reads the answers',
  async (name) => {
    const before = await received();
    const client = await open(name, true);
    expect(await client.quote(order)).toMatch(/^[1-9]\d*$/);
    expect((await received()) - before).toBe(20_000n);
    const traps = ['sales are taxed at 100 %', 'tradingEnabled() returns'].map(service.tokenThat);
    for (const token of [weth, ...traps]) {
      const { verdict, sources } = await client.check({ token: token as Address, sizeUSD: '100' });
      expect(['clear', 'avoid', 'unknown']).toContain(verdict);
      // A schema that knows only some members would remove the others.
      expect(Object.keys(sources).length).toBeGreaterThan(100);
    }
  },
);
