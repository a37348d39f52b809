import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const folder = join(root, '.cache', 'service');
/** Which sources the last bundle was made from. */
const noteFile = join(folder, 'inputs.json');
/** Bundles stay a while: a process that runs from one may still load a part of it. */
const keptBundles = 3;
const entryOf = (name) => join(folder, name, 'main.mjs');

/** Native or WebAssembly, found by their own files, or wanted by the sandbox only: they stay where they are. */
const external = ['libsql', 'pg-native', 'tiny-secp256k1', 'evmole', 'esbuild', 'swagger-ui-dist', 'iconv-lite'];

/** Names a bundle by what it is made from: a source, a package or Node that changes makes another one. */
function fingerprint(inputs) {
  const hash = createHash('sha256').update(process.version);
  for (const input of ['package.json', 'package-lock.json', 'scripts/start/bundleService.mjs', ...inputs]) {
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
    // An image of the live service comes without the sandbox.
    build.onResolve({ filter: /\/sandbox\/index\.ts$/ }, ({ path }) =>
      existsSync(join(root, 'sandbox', 'index.ts')) ? undefined : { path, external: true },
    );
    // The sandbox is loaded when there is one, and its packages from where they lie: some find their own files.
    build.onResolve({ filter: /^[^./]/ }, ({ path, importer }) =>
      relative(root, importer).startsWith('sandbox') ? { path, external: true } : undefined,
    );
  },
};

/** Zod brings its words in fifty languages; errors of ours are written in one. */
const oneLanguage = {
  name: 'one-language',
  setup(build) {
    build.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/** ESM packages whose modules only declare; their own package.json does not say so, and all of them would be kept. */
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

/** What nobody uses of such packages is left out; our own modules are all of that kind, and package.json says so. */
const onlyWhatIsUsed = {
  name: 'only-what-is-used',
  setup(build) {
    const asked = Symbol('asked');
    const names = new RegExp(`^(${declaring.join('|')})(/|$)`);
    build.onResolve({ filter: new RegExp(`^\\.|${names.source}`) }, async ({ path, pluginData, ...from }) => {
      // Of a middleware that we do not use; as a part of ours it would keep all that it could ask for.
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
    // Node keeps the text of what it runs; comments beyond ASCII would double it.
    minifyWhitespace: true,
    minifySyntax: true,
    external,
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

/** Several processes may start at once, each with a bundle of its own making: they are the same, and the first one stays. */
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

/** The entry of the bundle of what is here now; undefined when there is none yet. */
function findFresh() {
  if (!existsSync(noteFile)) return undefined;
  const entry = entryOf(fingerprint(JSON.parse(readFileSync(noteFile, 'utf8'))));
  return existsSync(entry) ? entry : undefined;
}

/**
 * The service as a few files of JavaScript, so that a start neither compiles TypeScript nor looks for a thousand
 * modules; made anew when a source, a package or Node has changed. The path of its entry.
 */
export async function bundledService() {
  return findFresh() ?? bundle();
}
