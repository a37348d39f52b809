import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../', import.meta.url));

/** Entry points of `browser/`: scripts of pages, and modules that they import on demand. */
const scripts = ['site', 'search', 'try', 'pay', 'demoAccount', 'swagger'] as const;

/** A font's name without the hash. */
const fontName = (name: string) => (name.endsWith('.woff2') ? name.replace(/\.\w+\.woff2$/, '.woff2') : undefined);

export interface BuiltFile {
  /** With a content hash: `try.3KFQ2XYZ.js`. */
  name: string;
  /** The name of an entry point or font without the hash, `try.js`; undefined for a shared chunk. */
  plainName: string | undefined;
  body: Buffer;
}

/**
 * The pages' scripts and style sheets, bundled from source in about a tenth of a second. Dynamic imports stay separate
 * files, so that a page loads only what it uses.
 * @param constants JSON by name, for the scripts
 */
export async function bundleScripts(constants: Record<string, string>): Promise<BuiltFile[]> {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    absWorkingDir: folder,
    entryPoints: [...scripts.map((name) => `browser/${name}.ts`), 'styles/site.css', 'styles/swagger.css'],
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    outdir: '/',
    entryNames: '[name].[hash]',
    chunkNames: '[name].[hash]',
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    legalComments: 'none',
    assetNames: '[name].[hash]',
    loader: { '.woff2': 'file' },
    define: constants,
  });
  const entryOf = new Map(
    Object.entries(metafile.outputs).map(([path, { entryPoint }]) => [basename(path), entryPoint]),
  );
  return outputFiles.map(({ path, contents }) => {
    const name = basename(path);
    const entry = entryOf.get(name);
    return {
      name,
      // Fonts are no entry points, but pages preload them.
      plainName: (entry && basename(entry).replace(/\.ts$/, '.js')) ?? fontName(name),
      body: Buffer.from(contents),
    };
  });
}
