import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

export interface Manifest {
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, { optional: boolean }>;
  bin: { truefill: string };
}

interface Installed {
  folder: string;
  manifest: Manifest;
}

/** Unpacks the tarball into a new project and links its dependencies. */
export async function installPackage(work: string, name: string, peers: string[]): Promise<Installed> {
  const modules = join(work, name, 'node_modules');
  const tarball = (await readdir(work)).find((file) => file.endsWith('.tgz'));
  await mkdir(join(modules, 'truefill-client'), { recursive: true });
  await run('tar', ['-xzf', join(work, tarball ?? ''), '--strip-components=1', '-C', join(modules, 'truefill-client')]);
  const manifest: Manifest = JSON.parse(await readFile(join(modules, 'truefill-client', 'package.json'), 'utf8'));
  for (const dependency of [...Object.keys(manifest.dependencies), 'viem', ...peers, '@types/node']) {
    await mkdir(dirname(join(modules, dependency)), { recursive: true });
    await symlink(join(root, 'node_modules', dependency), join(modules, dependency));
  }
  await writeFile(join(work, name, 'package.json'), '{"type":"module"}');
  return { folder: join(work, name), manifest };
}

/** Compiles files of the project with strict options. @returns the compiler's output; empty without an error */
export async function compile(files: Record<string, string>, cwd: string, more: object = {}): Promise<string> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), text);
  }
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
    ...more,
  };
  await writeFile(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(files) }));
  return run(process.execPath, [tsc, '-p', '.'], { cwd }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}
