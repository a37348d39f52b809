import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const folder = join(root, '.cache', 'service');
const noteFile = join(folder, 'inputs.json');
const entry = join(folder, 'main.mjs');

/** Native or WebAssembly, found by their own files, or wanted by the sandbox only: they stay where they are. */
const external = ['libsql', 'pg-native', 'tiny-secp256k1', 'evmole', 'esbuild', 'swagger-ui-express', 'iconv-lite'];

/** What the bundle was made from, as text: changes when a source, a package or Node does. */
function fingerprint(inputs) {
  const hash = createHash('sha256').update(process.version);
  for (const input of ['package-lock.json', 'scripts/start/bundleService.mjs', ...inputs]) {
    const path = join(root, input);
    hash.update(input).update(existsSync(path) ? readFileSync(path) : 'gone');
  }
  return hash.digest('hex');
}

/** A module keeps its own place: it reads files beside its source, not beside the bundle. */
const keepPlaces = {
  name: 'keep-places',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (relative(root, path).startsWith('node_modules')) return undefined;
      const contents = readFileSync(path, 'utf8')
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)));
      return { contents, loader: 'ts' };
    });
    // The sandbox is loaded when there is one, and its packages from where they lie: some find their own files.
    build.onResolve({ filter: /^[^./]/ }, ({ path, importer }) =>
      relative(root, importer).startsWith('sandbox') ? { path, external: true } : undefined,
    );
  },
};

async function bundle() {
  const { build } = await import('esbuild');
  rmSync(folder, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: 'server/main.ts' },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Node keeps the text of what it runs; comments beyond ASCII would double it.
    minifyWhitespace: true,
    minifySyntax: true,
    external,
    plugins: [keepPlaces],
    banner: {
      js: "import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);",
    },
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
  });
  const inputs = Object.keys(metafile.inputs).filter((path) => !path.includes('node_modules') && !path.includes(':'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(noteFile, JSON.stringify({ inputs, made: fingerprint(inputs) }));
}

function isFresh() {
  if (!existsSync(noteFile) || !existsSync(entry)) return false;
  const { inputs, made } = JSON.parse(readFileSync(noteFile, 'utf8'));
  return fingerprint(inputs) === made;
}

/**
 * The service as a few files of JavaScript, so that a start neither compiles TypeScript nor looks for a thousand
 * modules; made anew when a source, a package or Node has changed. The path of its entry.
 */
export async function bundledService() {
  if (!isFresh()) await bundle();
  return entry;
}
