import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packClient } from '../../tools/release/packClient.ts';
import { startDroppingProxy } from '../browser/dropAnswers.ts';
import { usdcOf } from '../support/buyer.ts';
import { isFullSize } from '../support/proofSize.ts';
import { compareRouterTypes, compareWireTypes, routerChanges } from './compareTypes.ts';
import { use, useTrpc } from './packagePrograms.ts';
import { compile, installPackage, type Manifest } from './packageProject.ts';
import { type StartedSandbox, startedSandbox } from './startedSandbox.ts';

// The package from `npm pack` in an empty project with only the dependencies of its manifest. They are linked from
// node_modules of this repository, so that the test needs no registry.

const run = promisify(execFile);

let work: string;
/** A project with only the package and its dependencies. */
let project: string;
/** The same project with the two tRPC packages, which are optional peers. */
let trpcProject: string;
let service: StartedSandbox;
let manifest: Manifest;
/** Compiler output for the programs and for faulty copies of them. The compiled JavaScript is run by the tests. */
let output: { program: string; trpcProgram: string };
const emitted = { noEmit: false, allowImportingTsExtensions: false, outDir: 'built' };

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'truefill-package-'));
  await packClient(join(work, 'package'));
  await run('npm', ['pack', join(work, 'package'), '--pack-destination', work]);
  ({ folder: project, manifest } = await installPackage(work, 'project', []));
  trpcProject = (await installPackage(work, 'trpcProject', ['@trpc/client', '@trpc/server'])).folder;
  const wrong = use
    .replace("sizeIn: '1'", 'sizeIn: 1')
    .replace("'avoid' | 'clear' | 'unknown'", "'avoid' | 'clear'")
    .replace('token: tokenIn', "token: 'WETH'");
  output = {
    program: await compile({ 'use.ts': use, 'wrong.ts': wrong }, project, emitted),
    trpcProgram: await compileTrpc(emitted),
  };
  service = await startedSandbox();
});
afterAll(async () => {
  await service?.close();
  if (work) await rm(work, { recursive: true });
});

test('default: a program with the package compiles in an empty project; a faulty copy does not', () => {
  const { program } = output;
  const faults = program.split('\n').filter((line) => line.includes(': error TS'));
  expect(faults.filter((line) => !line.startsWith('wrong.ts('))).toEqual([]);
  expect(program).toContain("Type 'number' is not assignable to type 'string'");
  expect(program).toContain('\'"unknown"\' is not assignable');
  expect(program).toContain(`'"WETH"' is not assignable to type '\`0x\${string}\`'`);
});

test('default: the published types equal those of the router', async () => {
  expect(await compareWireTypes(trpcProject)).toEqual(['differentWire.ts']);
});

test('default: a program buys from the service without other packages', async () => {
  const { stdout } = await run(process.execPath, ['built/use.js', service.url, service.keyOf('demo')], {
    cwd: project,
  });
  // The free check counts until its payment expires.
  expect(JSON.parse(stdout)).toEqual([true, expect.any(Number), 'clear', 0.07]);
});

test('default: the command line runs from the package; mcp prints the packages to install', async () => {
  const program = join(project, 'node_modules', 'truefill-client', manifest.bin.truefill);
  const env = { ...process.env, XDG_STATE_HOME: join(work, 'state') };
  const truefill = (...line: string[]) => run(process.execPath, [program, ...line, '--url', service.url], { env });
  expect((await truefill('health')).stdout).toMatch(/^ok {2}truefill/);
  const { stdout } = await truefill('check', '0x4200000000000000000000000000000000000006', '--sandbox', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ verdict: 'clear' });
  await expect(truefill('mcp', '--sandbox')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('npm install @modelcontextprotocol/'),
  });
});

test('default: viem is a required peer, and every peer has a version range', () => {
  expect(manifest.dependencies).not.toHaveProperty('viem');
  expect(manifest.peerDependenciesMeta).not.toHaveProperty('viem');
  expect(Object.entries(manifest.peerDependencies).filter(([, range]) => !/^\^\d/.test(range))).toEqual([]);
  expect(Object.keys(manifest.peerDependencies)).toContain('viem');
});

test('default: the tRPC packages are optional peers', async () => {
  expect(manifest.peerDependencies).toMatchObject({ '@trpc/client': '^11', '@trpc/server': '^11' });
  for (const name of ['@trpc/client', '@trpc/server']) {
    expect(manifest.peerDependenciesMeta[name]).toEqual({ optional: true });
    expect(manifest.dependencies).not.toHaveProperty(name);
  }
});

/** Compiles a program that uses tRPC, and a faulty copy of it. Returns the compiler output. */
function compileTrpc(options: object): Promise<string> {
  const wrong = useTrpc.replace("sizeIn: '1.75'", 'sizeIn: 1.75').replace('amountOut: string', 'amountOut: number');
  return compile({ 'use.ts': useTrpc, 'wrong.ts': wrong }, trpcProject, options);
}

test.each(['NodeNext', ...(isFullSize ? ['Preserve'] : [])])(
  'default: a program with the tRPC entry compiles with module %s; a faulty copy does not',
  async (module) => {
    const text =
      module === 'NodeNext' ? output.trpcProgram : await compileTrpc({ module, moduleResolution: 'Bundler' });
    const faults = text.split('\n').filter((line) => line.includes(': error TS'));
    expect(faults.map((line) => line.slice(0, 8))).toEqual(['wrong.ts', 'wrong.ts']);
    expect(text).toContain("Type 'number' is not assignable to type 'string'");
    expect(text).toContain("Type 'string' is not assignable to type 'number'");
  },
);

test('default: the published AppRouter gives a tRPC client the same types as the router', async () => {
  const faulty = await compareRouterTypes(trpcProject);
  expect(faulty.sort()).toEqual(routerChanges.map(([name]) => `${name}.ts`).sort());
});

test('behavior: another process resumes a lost tRPC answer with one charge on chain', async () => {
  const base = service.sandbox.chains.base as unknown as { rpcUrl: string; usdc: `0x${string}` };
  const payTo = service.sandbox.wallets.find(({ role }) => role === 'payTo')?.address as `0x${string}`;
  const received = () => usdcOf(base, payTo);
  const proxy = await startDroppingProxy(service.url);
  try {
    const buy = async (...stored: string[]) => {
      const line = ['built/use.js', proxy.url, service.keyOf('demo'), ...stored];
      return JSON.parse((await run(process.execPath, line, { cwd: trpcProject })).stdout);
    };
    const before = await received();
    proxy.dropping = true;
    const { pending } = await buy();
    expect(pending.path).toBe('/trpc/quote');
    expect(proxy.dropped).toBe(2);
    expect((await received()) - before).toBe(20_000n);

    proxy.dropping = false;
    const stored = JSON.stringify(pending);
    const answer = { amountOut: expect.stringMatching(/^[1-9]\d+$/), confidence: expect.any(String) };
    expect(await buy(stored)).toEqual(answer);
    expect(new Set(proxy.signatures)).toEqual(new Set([pending.paymentSignature]));
    expect((await received()) - before).toBe(20_000n);
    expect(await buy()).toEqual(answer);
    expect((await received()) - before).toBe(40_000n);
  } finally {
    await proxy.close();
  }
});

test('default: the tRPC example of the TypeScript guide compiles and runs', async () => {
  const page = await (await fetch(`${service.url}/guides/typescript`)).text();
  const blocks = [...page.matchAll(/<pre[^>]*><code>([\s\S]*?)<\/code>/g)].map(([, text = '']) =>
    unescapeHtml(text.replaceAll(/<[^>]+>/g, '')),
  );
  const [printed = '', ...others] = blocks.filter((text) => text.includes('paymentLink'));
  expect(others).toEqual([]);
  expect(await compile({ 'guide.ts': printed }, trpcProject, emitted)).toBe('');
  const env = { ...process.env, TRUEFILL_KEY: service.keyOf('demo') };
  const { stdout } = await run(process.execPath, ['built/guide.js'], { cwd: trpcProject, env });
  expect(stdout).toMatch(/^[1-9]\d+ high\n$/);
});

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const unescapeHtml = (text: string) => text.replace(/&([^;]+);/g, (whole, name: string) => entities[name] ?? whole);
