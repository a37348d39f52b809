import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const folder = join(root, '.cache', 'service');
/** Records which sources the last bundle contains. */
const noteFile = join(folder, 'inputs.json');
/** Old bundles stay for a while: a running process may still load parts of one. */
const keptBundles = 3;
const entryOf = (name) => join(folder, name, 'main.mjs');

/** Native or WebAssembly packages, packages that locate their own files, or sandbox-only packages: not bundled. */
const external = [
  'libsql',
  'pg-native',
  'tiny-secp256k1',
  'evmole',
  'hash-wasm',
  'esbuild',
  'swagger-ui-express',
  'iconv-lite',
];

/** Names a bundle by its inputs: a changed source, package or Node version gives a new name. */
function fingerprint(inputs) {
  const hash = createHash('sha256').update(process.version);
  for (const input of ['package.json', 'package-lock.json', 'tools/start/bundleService.mjs', ...inputs]) {
    const path = join(root, input);
    hash.update(input).update(existsSync(path) ? readFileSync(path) : 'gone');
  }
  return hash.digest('hex').slice(0, 16);
}

/** The path from a bundle, `.cache/service/<name>/`, to the project's folder. */
const toRoot = '../../../';

/**
 * Keeps `import.meta.url` of the source, so that a module reads files beside its source, not beside the bundle. The URL is
 * relative to the bundle, so that a checkout can be moved or copied.
 */
const keepPlaces = {
  name: 'keep-places',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (relative(root, path).startsWith('node_modules')) return undefined;
      const place = toRoot + relative(root, path).split(sep).join('/');
      const contents = readFileSync(path, 'utf8').replace(/import\.meta\.(url|dirname)/g, (_, field) =>
        field === 'url'
          ? `new URL(${JSON.stringify(place)}, import.meta.url).href`
          : `(import.meta.dirname + ${JSON.stringify(`/${dirname(place)}`)})`,
      );
      return { contents, loader: 'ts' };
    });
    // The image of the live service has no sandbox.
    build.onResolve({ filter: /\/sandbox\/index\.ts$/ }, ({ path }) =>
      existsSync(join(root, 'sandbox', 'index.ts')) ? undefined : { path, external: true },
    );
    // The sandbox is loaded on demand; its packages stay unbundled, because some locate their own files.
    build.onResolve({ filter: /^[^./]/ }, ({ path, importer }) =>
      relative(root, importer).startsWith('sandbox') ? { path, external: true } : undefined,
    );
  },
};

/** Zod contains messages in fifty languages; bundle English only. */
const oneLanguage = {
  name: 'one-language',
  setup(build) {
    build.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/** ESM packages without side effects whose package.json does not declare it; otherwise all their modules are kept. */
const declaring = [
  'kysely',
  'trpc-to-openapi',
  'openapi3-ts',
  '@x402/core',
  '@x402/evm',
  '@x402/express',
  '@x402/extensions',
  '@x402/svm',
];
const isDeclaring = (path) => declaring.some((name) => path.includes(join('node_modules', name, sep)));

/** Tree-shakes those packages; our own package.json declares its modules free of side effects. */
const onlyWhatIsUsed = {
  name: 'only-what-is-used',
  setup(build) {
    const asked = Symbol('asked');
    const names = new RegExp(`^(${declaring.join('|')})(/|$)`);
    build.onResolve({ filter: new RegExp(`^\\.|${names.source}`) }, async ({ path, pluginData, ...from }) => {
      // A dynamic import in an unused middleware; bundling it would keep all its dependencies.
      if (from.kind === 'dynamic-import' && isDeclaring(from.importer)) return { path, external: true };
      if (pluginData === asked || from.kind !== 'import-statement') return undefined;
      if (!names.test(path) && !isDeclaring(from.importer)) return undefined;
      const found = await build.resolve(path, { ...from, pluginData: asked });
      return { ...found, sideEffects: !isDeclaring(found.path) };
    });
  },
};

async function bundle() {
  const { build } = await import('esbuild');
  const making = join(folder, `making-${process.pid}`);
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: 'server/main.ts' },
    outdir: making,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Node keeps the source text in memory; non-ASCII comments would double it.
    minifyWhitespace: true,
    minifySyntax: true,
    external,
    // A dependency contains an older copy of this table of file types, 137 kB.
    alias: { 'mime-db': './node_modules/mime-db/index.js' },
    plugins: [keepPlaces, oneLanguage, onlyWhatIsUsed],
    banner: {
      js: "import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);",
    },
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
  });
  const inputs = Object.keys(metafile.inputs).filter((path) => !path.includes('node_modules') && !path.includes(':'));
  const name = fingerprint(inputs);
  put(making, join(folder, name));
  const note = `${noteFile}-${process.pid}`;
  writeFileSync(note, JSON.stringify(inputs));
  renameSync(note, noteFile);
  sweep();
  return entryOf(name);
}

/** Several processes may start concurrently; their bundles are identical, and the first one stays. */
function put(made, place) {
  if (existsSync(place)) rmSync(made, { recursive: true, force: true });
  else renameSync(made, place);
}

function sweep() {
  const bundles = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('making-'))
    .map(({ name }) => ({ name, at: statSync(join(folder, name)).mtimeMs }))
    .sort((left, right) => right.at - left.at);
  for (const { name } of bundles.slice(keptBundles)) rmSync(join(folder, name), { recursive: true, force: true });
}

/** Entry of the bundle of the current sources; undefined when there is none. */
function findFresh() {
  if (!existsSync(noteFile)) return undefined;
  const entry = entryOf(fingerprint(JSON.parse(readFileSync(noteFile, 'utf8'))));
  return existsSync(entry) ? entry : undefined;
}

/**
 * Bundles the service into a few JavaScript files, so that a start neither compiles TypeScript nor loads a thousand
 * modules. Rebuilds when a source, a package or Node changes. Returns the path of the entry.
 */
export async function bundledService() {
  return findFresh() ?? bundle();
}
