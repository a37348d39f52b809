import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

const folder = fileURLToPath(new URL('./browser/', import.meta.url));

/** Scripts that pages load by themselves, and those that they load when they need them. */
const entries = { modules: ['try', 'pay', 'demoAccount'], classic: ['swagger'] } as const;

/**
 * Dynamic imports stay separate files, so that a page loads only what it uses. The client's Solana packages are left out:
 * no page pays on Solana.
 */
const keepLater: Plugin = {
  name: 'keep-later',
  setup(build) {
    build.onResolve({ filter: /^\.\/\w+\.ts$/ }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path: `/assets/${basename(path, '.ts')}.js`, external: true } : undefined,
    );
    build.onResolve({ filter: /^@x402\/svm\// }, ({ path }) => ({ path, external: true }));
  },
};

/** The pages' scripts, by file name. Bundled from source when first asked for: about a tenth of a second. */
export async function bundleScripts(): Promise<Map<string, string>> {
  const { build } = await import('esbuild');
  const bundle = (names: readonly string[], format: 'esm' | 'iife') =>
    build({
      entryPoints: names.map((name) => `${folder}${name}.ts`),
      bundle: true,
      minify: true,
      write: false,
      outdir: '/',
      format,
      platform: 'browser',
      target: 'es2022',
      legalComments: 'none',
      plugins: [keepLater],
    });
  const results = await Promise.all([bundle(entries.modules, 'esm'), bundle(entries.classic, 'iife')]);
  return new Map(
    results.flatMap(({ outputFiles }) => outputFiles.map(({ path, text }): [string, string] => [basename(path), text])),
  );
}
