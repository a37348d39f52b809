import { mkdir, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..', '..');

/**
 * Bundles a TypeScript entry file and returns the path of the bundle, which starts faster than the sources through tsx.
 *
 * @param entry relative to the project's root
 */
export async function bundleScript(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(root, entry)],
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    // Native code and WebAssembly are loaded relative to their own files.
    external: ['libsql', 'litesvm', 'pg', 'secp256k1', 'tiny-secp256k1', 'evmole'],
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
  });
  const folder = join(root, '.cache');
  const file = join(folder, `${entry.replaceAll('/', '-').replace(/\.ts$/, '')}.mjs`);
  // Rename a complete file, because another test process may read the bundle at the same time.
  const draft = join(folder, `${process.pid}-${basename(file)}`);
  await mkdir(folder, { recursive: true });
  await writeFile(draft, outputFiles[0]?.contents ?? '');
  await rename(draft, file);
  return file;
}
