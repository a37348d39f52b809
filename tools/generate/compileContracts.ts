/**
 * Compiles `contracts/lens`, `contracts/executor`, `contracts/sandbox` and `contracts/testTokens` into `contracts/artifacts`, one TypeScript
 * file for each contract. Before, it writes the constants that the lenses share with the engine to
 * `contracts/lens/LensNumbers.sol`, and the kinds of pools for the client to `contracts/artifacts/lensKinds.ts`. After, it
 * writes the addresses of the lenses that chains may have to `contracts/artifacts/lensDeployment.ts`.
 *
 *   npm run contracts            compile what changed and write the artifacts
 *   npm run contracts -- lens    only contracts/lens
 *   npm run contracts -- --check compile everything and fail when a committed artifact differs
 *
 * The executor's code contains the addresses of its families (`contracts/executor/FamilyTable.sol`), so it is compiled
 * again when one of them changes.
 *
 * The output carries no metadata hash, so that it depends on sources and compiler only.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { getAddress } from 'viem';
import { kinds, lensConstants } from '../../engine/tools/index.ts';
import { deploymentSource, familyTable, lensDeploymentSource } from './executorDeployment.ts';

interface CompiledContract {
  abi: { type: string }[];
  evm: { bytecode: { object: string }; deployedBytecode: { object: string } };
}

interface CompilerOutput {
  errors?: { severity: string; formattedMessage: string }[];
  contracts?: Record<string, Record<string, CompiledContract>>;
}

const require = createRequire(import.meta.url);
const root = join(import.meta.dirname, '..', '..');
const groups = ['lens', 'executor', 'sandbox', 'testTokens'] as const;
type Group = (typeof groups)[number];

const args = process.argv.slice(2);
const check = args.includes('--check');
const wanted = groups.filter((group) => args.includes(group));

/** Nodes limit the size of a request: at most 60 % of the largest contract that EIP-170 allows. */
const largestLens = 14_745;
/** Shorter code of the lenses counts, because requests contain it. */
const runs = { lens: 1, executor: 1_000_000, sandbox: 10_000, testTokens: 10_000 };

/**
 * The compiler's own sequence without F, the function specializer: it makes a copy of every long function for each
 * constant that one is called with, which costs the lens 3 kB.
 */
const lensSteps =
  'dhfoDgvulfnTUtnIf[xa[r]EscLMcCTUtTOntnfDIulLculVcul [j]Tpeulxa[rul]xa[r]cLgvifCTUca[r]LSsTOtfDnca[r]Iulc]jmul[jul] VcTOcul jmul:fDnTOcmu';
const details = {
  lens: { yul: true, yulDetails: { stackAllocation: true, optimizerSteps: lensSteps } },
  executor: undefined,
  sandbox: undefined,
  testTokens: undefined,
};

const settingsOf = (group: Group) => ({
  optimizer: { enabled: true, runs: runs[group], details: details[group] },
  // 75 small contracts: the old code generator takes a tenth of the time, and most real tokens went through it.
  viaIR: group !== 'testTokens',
  evmVersion: 'cancun',
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
});

async function readSources(group: Group): Promise<Record<string, { content: string }>> {
  // The executor shares the swaps of the lenses.
  return { ...(group === 'executor' ? await readFolder('lens') : {}), ...(await readFolder(group)) };
}

async function readFolder(group: Group): Promise<Record<string, { content: string }>> {
  const folder = join(root, 'contracts', group);
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.sol')).sort();
  const entries = await Promise.all(
    names.map(async (name) => [`${group}/${name}`, { content: await readFile(join(folder, name), 'utf8') }] as const),
  );
  return Object.fromEntries(entries);
}

function compile(group: Group, sources: Record<string, { content: string }>): Record<string, CompiledContract> {
  const solc = require('solc') as { compile(input: string): string };
  // Without the contracts of other groups, which the executor's sources include: they take most of the time.
  const own = Object.keys(sources).filter((path) => path.startsWith(`${group}/`));
  const outputSelection = Object.fromEntries(own.map((path) => [path, settingsOf(group).outputSelection['*']]));
  const settings = { ...settingsOf(group), outputSelection };
  const output = JSON.parse(
    solc.compile(JSON.stringify({ language: 'Solidity', sources, settings })),
  ) as CompilerOutput;
  const faults = (output.errors ?? []).filter((error) => error.severity === 'error');
  if (faults.length > 0) throw new Error(faults.map((fault) => fault.formattedMessage).join('\n'));
  return Object.assign({}, ...Object.values(output.contracts ?? {}));
}

/** Lenses have no constructors, so their creation code is left out. So are their errors, which nothing decodes. */
function toArtifact(name: string, contract: CompiledContract, group: Group): string {
  const constant = `${name[0]?.toLowerCase()}${name.slice(1)}Artifact`;
  return [
    '// Generated by `npm run contracts`. Change the Solidity source, not this file.',
    `export const ${constant} = {`,
    `  abi: ${JSON.stringify(contract.abi.filter(({ type }) => group !== 'lens' || type !== 'error'))},`,
    ...(group === 'lens' ? [] : [`  bytecode: '0x${contract.evm.bytecode.object}',`]),
    `  runtime: '0x${contract.evm.deployedBytecode.object}',`,
    '} as const;',
    '',
  ].join('\n');
}

/** Hash of all that decides the output; kept beside the artifacts so that an unchanged group is not compiled again. */
function sourceHash(group: Group, sources: Record<string, { content: string }>): string {
  const compiler = (require('solc/package.json') as { version: string }).version;
  return createHash('sha256')
    .update(JSON.stringify({ compiler, settings: settingsOf(group), sources }))
    .digest('hex');
}

async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** Constants of the engine that the lenses use. The TypeScript source explains each. */
function numbersSource(): string {
  const lines = Object.entries(lensConstants).map(([name, value]) =>
    typeof value === 'string'
      ? `address constant ${name} = ${getAddress(value)};`
      : `uint256 constant ${name} = ${value};`,
  );
  return [
    '// SPDX-License-Identifier: MIT',
    'pragma solidity ^0.8.28;',
    '',
    '// Generated by `npm run contracts` from engine/tools/lensConstants.ts. Change the TypeScript source, not this file.',
    ...lines,
    '',
  ].join('\n');
}

/** The kinds of pools for the client, which does not import the engine. */
function kindsSource(): string {
  const lines = Object.entries(kinds).map(([name, number]) => `  ${name}: ${number}n,`);
  const head = '// Generated by `npm run contracts` from engine/venues/kinds.ts. Change that file, not this one.';
  return [head, 'export const lensKinds = {', ...lines, '} as const;', ''].join('\n');
}

/** Writes a generated file; with --check, returns its name if it differs. */
async function generate(name: string, text: string): Promise<string[]> {
  const path = join(root, 'contracts', name);
  if ((await readIfThere(path)) === text) return [];
  if (check) return [`${name} differs from its source`];
  await writeFile(path, text);
  return [];
}

/** Writes the table of families if their addresses changed. @returns a drift message with --check */
async function generateFamilyTable(): Promise<string[]> {
  const sources = await readSources('executor');
  const families = compile('executor', sources);
  return generate('executor/FamilyTable.sol', familyTable(families));
}

async function buildGroup(group: Group): Promise<string[]> {
  const sources = await readSources(group);
  const folder = join(root, 'contracts', 'artifacts', group);
  const hash = sourceHash(group, sources);
  if (!check && (await readIfThere(join(folder, 'sources.sha256')))?.trim() === hash) {
    console.log(`contracts/${group}: unchanged`);
    return [];
  }
  if (group === 'executor') {
    const drifted = await generateFamilyTable();
    if (drifted.length > 0) return drifted;
    Object.assign(sources, await readSources(group));
  }
  const contracts = Object.keys(sources).length > 0 ? compile(group, sources) : {};
  const files: Record<string, string> = { 'sources.sha256': `${sourceHash(group, sources)}\n` };
  if (group === 'executor') files['deployment.ts'] = deploymentSource(contracts);
  for (const [name, contract] of Object.entries(contracts)) {
    const bytes = contract.evm.deployedBytecode.object.length / 2;
    if (group === 'lens' && bytes > largestLens)
      throw new RangeError(`${name} has ${bytes} bytes, over ${largestLens}.`);
    if (contract.evm.bytecode.object !== '') files[`${name}.ts`] = toArtifact(name, contract, group);
  }
  const deployment =
    group === 'lens' ? await generate('artifacts/lensDeployment.ts', lensDeploymentSource(contracts)) : [];
  const present = await readdir(folder).catch(() => [] as string[]);
  const stale = present.filter((name) => !(name in files));
  if (check) {
    const drifted = [...deployment, ...stale.map((name) => `${group}/${name} has no source`)];
    for (const [name, text] of Object.entries(files)) {
      if ((await readIfThere(join(folder, name))) !== text) drifted.push(`${group}/${name} differs from its source`);
    }
    return drifted;
  }
  await mkdir(folder, { recursive: true });
  await Promise.all(stale.map((name) => rm(join(folder, name))));
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
  console.log(`contracts/${group}: ${Object.keys(files).length - 1} artifacts written`);
  return [];
}

const drifted = [
  ...(await generate('lens/LensNumbers.sol', numbersSource())),
  ...(await generate('artifacts/lensKinds.ts', kindsSource())),
];
for (const group of wanted.length > 0 ? wanted : groups) drifted.push(...(await buildGroup(group)));
if (drifted.length > 0) {
  console.error(`Contract artifacts drifted:\n  ${drifted.join('\n  ')}\nRun: npm run contracts`);
  process.exit(1);
}
if (check) console.log('contract artifacts match their sources');
