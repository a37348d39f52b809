import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packClient } from '../../scripts/pack/packClient.ts';
import { writeWireTypes } from '../../scripts/pack/writeWireTypes.ts';
import { type StartedSandbox, startedSandbox } from './startedSandbox.ts';

// The package as `npm pack` makes it, in an empty project: only what its manifest names lies beside it. (The packages
// themselves are linked from the house, so that the test asks no registry.)

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

let work: string;
let project: string;
let house: StartedSandbox;
let manifest: {
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
  bin: { truefill: string };
};

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'truefill-package-'));
  project = join(work, 'project');
  const modules = join(project, 'node_modules');
  await packClient(join(work, 'package'));
  await run('npm', ['pack', join(work, 'package'), '--pack-destination', work]);
  const tarball = (await readdir(work)).find((name) => name.endsWith('.tgz'));
  await mkdir(join(modules, 'truefill-client'), { recursive: true });
  await run('tar', ['-xzf', join(work, tarball ?? ''), '--strip-components=1', '-C', join(modules, 'truefill-client')]);
  manifest = JSON.parse(await readFile(join(modules, 'truefill-client', 'package.json'), 'utf8'));
  for (const name of [...Object.keys(manifest.dependencies), '@types/node']) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  await writeFile(join(project, 'package.json'), '{"type":"module"}');
  house = await startedSandbox();
});
afterAll(async () => {
  await house?.close();
  if (work) await rm(work, { recursive: true });
});

/** Checks files of the project as a careful user's compiler would; the compiler's words are the result. */
async function check(files: Record<string, string>): Promise<string> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(project, name), text);
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    module: 'NodeNext',
    target: 'ES2022',
    noEmit: true,
    allowImportingTsExtensions: true,
    types: ['node'],
  };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(files) }));
  return run(process.execPath, [tsc, '-p', '.'], { cwd: project }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

const use = `
import { AnswerPendingError, createTruefillClient, type Quote } from 'truefill-client';
import { createWalletClient, custom } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

const [url = '', key] = process.argv.slice(2);
const wallet = privateKeyToAccount(key as \`0x\${string}\`);
const browser = createWalletClient({ account: wallet.address, transport: custom({ request: async () => null }) });
const truefill = createTruefillClient({ url, wallet: [wallet], spendLimit: { totalUsd: 0.1 }, allowSandbox: true });
createTruefillClient({ url, wallet: browser });
try {
  const tokenIn = '0x4200000000000000000000000000000000000006';
  const quote: Quote = await truefill.quote({ tokenIn, tokenOut: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', sizeIn: '1' });
  const check = await truefill.pretradeCheck({ token: tokenIn });
  const verdict: 'avoid' | 'clear' | 'unknown' = check.verdict;
  console.log(JSON.stringify([BigInt(quote.amountOut) > 0n, quote.route.legs[0]?.feePips, verdict, truefill.spentUsd]));
} catch (error) {
  if (error instanceof AnswerPendingError) console.log(error.pending.paymentSignature);
  throw error;
}
`;

test('default: it type-checks in an empty project, its own and others’ declarations included; wrong use does not', async () => {
  const wrong = use.replace("sizeIn: '1'", 'sizeIn: 1').replace("'avoid' | 'clear' | 'unknown'", "'avoid' | 'clear'");
  const words = await check({ 'use.ts': use, 'wrong.ts': wrong });
  const faults = words.split('\n').filter((line) => line.includes(': error TS'));
  expect(faults.filter((line) => !line.startsWith('wrong.ts('))).toEqual([]);
  expect(words).toContain("Type 'number' is not assignable to type 'string'");
  expect(words).toContain('\'"unknown"\' is not assignable');
});

test('default: its written types are the router’s', async () => {
  const same = (theirs: string) => `
import type * as ours from '${join(root, 'client', 'wire.ts')}';
import type * as theirs from './${theirs}';
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
export const all: true[] = [
  true satisfies Same<ours.QuoteRequest, theirs.QuoteRequest>,
  true satisfies Same<ours.Quote, theirs.Quote>,
  true satisfies Same<ours.PretradeRequest, theirs.PretradeRequest>,
  true satisfies Same<ours.PublishedCheck, theirs.PublishedCheck>,
  true satisfies Same<ours.Health, theirs.Health>,
];
`;
  const files = {
    'wire.d.ts': writeWireTypes(),
    'same.ts': same('wire.d.ts'),
    'other.d.ts': writeWireTypes().replace('"amountOut": string', '"amountOut": number'),
    'different.ts': same('other.d.ts'),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(project, name), text);
  const flags = [
    '--noEmit',
    '--allowImportingTsExtensions',
    '--strict',
    '--skipLibCheck',
    '--module',
    'NodeNext',
    '--target',
    'ES2023',
    '--types',
    'node',
  ];
  const sources = [join(root, 'engine/pretrade/bytecode/evmole.d.ts'), 'same.ts', 'different.ts'];
  const words = await run(process.execPath, [tsc, '--ignoreConfig', ...flags, ...sources], { cwd: project }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
  const faults = words.split('\n').filter((line) => line.includes(': error TS'));
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatch(/^different\.ts/);
});

test('default: it buys from the running service, with nothing else installed', async () => {
  await writeFile(join(project, 'use.ts'), use);
  const built = await run(
    process.execPath,
    [
      tsc,
      '--ignoreConfig',
      '--module',
      'NodeNext',
      '--target',
      'ES2022',
      '--skipLibCheck',
      '--types',
      'node',
      '--outDir',
      'built',
      'use.ts',
    ],
    { cwd: project },
  ).catch((error) => {
    throw new Error(error.stdout);
  });
  expect(built.stdout).toBe('');
  const { stdout } = await run(process.execPath, ['built/use.js', house.url, house.keyOf('demo')], { cwd: project });
  expect(JSON.parse(stdout)).toEqual([true, expect.any(Number), 'clear', 0.02]);
});

test('default: the command line runs from the package; what it lacks for MCP it names', async () => {
  const truefill = (...line: string[]) =>
    run(process.execPath, [
      join(project, 'node_modules', 'truefill-client', manifest.bin.truefill),
      ...line,
      '--url',
      house.url,
    ]);
  expect((await truefill('health')).stdout).toMatch(/^ok {2}truefill/);
  const { stdout } = await truefill('check', '0x4200000000000000000000000000000000000006', '--sandbox', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ verdict: 'clear' });
  await expect(truefill('mcp', '--sandbox')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('npm install @modelcontextprotocol/'),
  });
});
