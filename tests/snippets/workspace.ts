import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, transform } from 'esbuild';
import { expect } from 'vitest';
import type { StartedSandbox } from '../client/startedSandbox.ts';
import { bundleScript } from '../support/bundleScript.ts';

const root = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

/** A clone of the project for snippets. What they write does not reach the project. */
export interface Workspace {
  folder: string;
  /** Runs lines in bash. @returns stdout @throws if a line fails */
  shell(source: string): Promise<string>;
  /** Runs a TypeScript file. @returns stdout */
  program(source: string): Promise<string>;
  /** Replaces the addresses that documents print by those of the sandbox, which listens on free ports. */
  localise(source: string): string;
  close(): Promise<void>;
}

/** Compiled once, because the sources start slowly through tsx. */
const bundles = { truefill: 'client/cli/main.ts', ledger: 'server/ledgerCommand/main.ts' };

/** Installs the client in the folder as a package: `truefill-client` and `truefill-client/trpc`. */
async function installClient(folder: string): Promise<void> {
  const outdir = join(folder, 'node_modules', 'truefill-client');
  const entryPoints = { index: join(root, 'client/index.ts'), trpc: join(root, 'client/trpc/index.ts') };
  await build({
    entryPoints,
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
  const exported = { '.': './index.js', './trpc': './trpc.js' };
  const manifest = { name: 'truefill-client', type: 'module', exports: exported };
  await writeFile(join(outdir, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
}

/** Links every file of the project, and provides `truefill` as an installed package does: a command and a module. */
export async function openWorkspace(service: StartedSandbox): Promise<Workspace> {
  const folder = await mkdtemp(join(tmpdir(), 'truefill-snippets-'));
  for (const name of await readdir(root)) {
    if (!/^(\.git|\.cache|dist|data|package\.json)$/.test(name)) await symlink(join(root, name), join(folder, name));
  }
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const [script, entry] of Object.entries(bundles)) {
    expect(manifest.scripts[script]).toBe(`tsx ${entry}`);
    manifest.scripts[script] = `node ${await bundleScript(entry)}`;
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const programs = join(folder, 'programs');
  await installClient(programs);
  await mkdir(join(folder, 'bin'));
  const command = join(folder, 'bin', 'truefill');
  await writeFile(command, `#!/bin/sh\nexec ${manifest.scripts.truefill} "$@"\n`);
  await chmod(command, 0o755);

  const env = {
    ...process.env,
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    TRUEFILL_URL: service.url,
    TRUEFILL_KEY: service.keyOf('demo'),
    KEY: service.keyOf('trader'),
    XDG_STATE_HOME: join(folder, 'state'),
    XDG_CONFIG_HOME: join(folder, 'config'),
    // An empty ledger, which the first command of a snippet may create.
    DATA_DIR: join(folder, 'ledger'),
  };
  let programsRun = 0;
  return {
    folder,
    async shell(source) {
      return (await run('bash', ['-euo', 'pipefail', '-c', source], { cwd: folder, env })).stdout;
    },
    async program(source) {
      programsRun += 1;
      // A program with a relative import is saved in the project's folder and imports TypeScript.
      const usesSources = /from '\.\//.test(source);
      const file = usesSources ? `program${programsRun}.mts` : `programs/program${programsRun}.mjs`;
      const { code } = usesSources ? { code: source } : await transform(source, { loader: 'ts' });
      await writeFile(join(folder, file), code);
      const loader = usesSources ? ['--import', 'tsx'] : [];
      return (await run(process.execPath, [...loader, file], { cwd: folder, env })).stdout;
    },
    localise: (source) =>
      source
        .replaceAll('http://127.0.0.1:4020', service.url)
        .replaceAll('http://127.0.0.1:8545', service.sandbox.chains.base?.rpcUrl ?? ''),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
