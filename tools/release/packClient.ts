import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { writeAppRouter } from './writeAppRouter.ts';
import { writeWireTypes } from './writeWireTypes.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');

/** Optional peers whose minimum is the repository's version. The template contains the other peers with their ranges. */
const optional = ['@modelcontextprotocol/client', '@modelcontextprotocol/server', '@solana/kit', '@x402/svm'];

interface Manifest {
  version: string;
  dependencies: Record<string, string>;
}

/** Writes the package into an empty folder: JavaScript, declarations that need no router, manifest, README and licence. */
export async function packClient(out: string): Promise<void> {
  await mkdir(out, { recursive: true });
  const used = await bundle(out);
  await declare(out);
  await writeManifest(out, used);
  await cp(join(root, 'client', 'README.md'), join(out, 'README.md'));
  await cp(join(root, 'LICENSE'), join(out, 'LICENSE'));
}

/** @returns the packages that the code imports */
async function bundle(out: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['client/index.ts', 'client/trpc/index.ts', 'client/cli/main.ts'],
    outdir: out,
    outbase: 'client',
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    metafile: true,
  });
  const imports = Object.values(metafile.outputs).flatMap((output) =>
    output.imports.filter(({ external }) => external),
  );
  const names = imports.map(({ path }) => path).filter((path) => !path.startsWith('node:') && !path.startsWith('.'));
  return [
    ...new Set(
      names.map((path) =>
        path
          .split('/')
          .slice(0, path.startsWith('@') ? 2 : 1)
          .join('/'),
      ),
    ),
  ].sort();
}

/** Types that come from the router, written out because the package does not contain the router. */
const writtenOut: Record<string, () => string> = { 'wire.d.ts': writeWireTypes, 'trpc/appRouter.d.ts': writeAppRouter };

/** Declarations by tsc, except those that are written out. */
async function declare(out: string): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'truefill-declarations-'));
  try {
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const config = join(root, 'client', 'tsconfig.json');
    await run(process.execPath, [tsc, '-p', config, '--outDir', work], { cwd: root });
    const from = join(work, 'client');
    for (const name of await readdir(from, { recursive: true })) {
      if (!name.endsWith('.d.ts') || /^(?:cli|mcp)\//.test(name) || name in writtenOut) continue;
      const text = await readFile(join(from, name), 'utf8');
      await mkdir(dirname(join(out, name)), { recursive: true });
      await writeFile(join(out, name), text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
    }
    for (const [name, write] of Object.entries(writtenOut)) await writeFile(join(out, name), write());
  } finally {
    await rm(work, { recursive: true });
  }
}

/**
 * Dependencies have the exact versions that are tested here. Peers have ranges, so that a project needs one copy of
 * each.
 */
const caret = (versions: Record<string, string>) =>
  Object.fromEntries(Object.entries(versions).map(([name, version]) => [name, `^${version}`]));

async function writeManifest(out: string, used: string[]): Promise<void> {
  const template = JSON.parse(await readFile(join(root, 'client', 'package.template.json'), 'utf8'));
  const { version, dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest;
  const pick = (names: string[]) =>
    Object.fromEntries(
      names.map((name) => {
        const pinned = dependencies[name];
        if (pinned === undefined) throw new Error(`The client imports ${name}, which package.json does not list.`);
        return [name, pinned];
      }),
    );
  const peers: Record<string, string> = {
    ...template.peerDependencies,
    ...caret(pick(used.filter((name) => optional.includes(name)))),
  };
  const isOptional = (name: string) => name !== 'viem';
  const manifest = {
    ...template,
    version,
    dependencies: pick(used.filter((name) => !(name in peers))),
    peerDependencies: peers,
    peerDependenciesMeta: Object.fromEntries(
      Object.keys(peers)
        .filter(isOptional)
        .map((name) => [name, { optional: true }]),
    ),
  };
  await writeFile(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
