import { readdir, readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/** The folders that each folder may import. `tests` may import all. */
const allowedImports: Record<string, string[]> = {
  router: ['engine'],
  engine: ['contracts/artifacts', 'contracts/planLeg.ts'],
  server: ['router', 'engine', 'docs-site'],
  sandbox: ['contracts/artifacts'],
  client: ['router', 'contracts/artifacts', 'contracts/planLeg.ts'],
  'docs-site': ['router', 'client'],
  contracts: [],
  tools: ['router', 'server', 'engine', 'sandbox', 'client', 'contracts/artifacts'],
};

/** Packages that a folder must not import: the engine contains no HTTP, the router no server. */
const forbiddenPackages: Record<string, RegExp> = {
  engine: /^(express|zod|@trpc\/|trpc-to-openapi|@x402\/|pino|libsql|msw)/,
  router: /^(express|@x402\/|pino|libsql|viem\/accounts)/,
  sandbox: /^(express|@trpc\/|trpc-to-openapi|@x402\/|libsql)/,
  'docs-site': /^(@trpc\/|express)/,
};

/** The one import from production to the sandbox: loaded only when the mode is sandbox. */
const exceptions = new Set(['server/sandboxMode.ts -> sandbox/index.ts']);

interface Import {
  from: string;
  specifier: string;
  typeOnly: boolean;
}

async function findFiles(folder: string): Promise<string[]> {
  const names = await readdir(join(root, folder), { recursive: true }).catch(() => [] as string[]);
  return names
    .filter((name) => /\.(ts|mts|tsx)$/.test(name) && !name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`);
}

async function readImports(file: string): Promise<Import[]> {
  const text = await readFile(join(root, file), 'utf8');
  const pattern = /(?:^|\n)\s*(import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|import\(\s*'([^']+)'\s*\)/g;
  return [...text.matchAll(pattern)].map((match) => ({
    from: file,
    specifier: match[3] ?? match[4] ?? '',
    typeOnly: match[2] !== undefined,
  }));
}

const folderOf = (path: string) => path.split('/')[0] ?? '';
const toRelative = (found: readonly Import[]) =>
  found
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map((entry) => ({ ...entry, to: relative(root, join(root, dirname(entry.from), entry.specifier)) }));
const sources = (await Promise.all(Object.keys(allowedImports).map(findFiles))).flat();
/** Contains code samples whose imports are text. */
const examples = 'docs-site/snippets.ts';
const imports = (await Promise.all(sources.map(readImports)))
  .flat()
  .filter(({ from, specifier }) => from !== examples || specifier.startsWith('.'));
const relativeImports = toRelative(imports);

test('default: finds the folders and their imports', () => {
  expect(new Set(sources.map(folderOf))).toEqual(new Set(Object.keys(allowedImports)));
  expect(relativeImports.length).toBeGreaterThan(100);
});

test('default: every import between folders is allowed', () => {
  const wrong = relativeImports
    .filter(({ from, to }) => folderOf(from) !== folderOf(to))
    .filter(({ from, to }) => !exceptions.has(`${from} -> ${to}`))
    .filter(({ from, to }) => {
      const allowed = allowedImports[folderOf(from)] ?? [];
      return !allowed.some((folder) => to === folder || to.startsWith(`${folder}/`));
    })
    .map(({ from, to }) => `${from} -> ${to}`);
  expect(wrong).toEqual([]);
});

/** Each folder of the engine may import the ones before it. */
const engineFolders = ['venues', 'chain', 'pools', 'quote', 'pretrade', 'tools'];

test('a folder of the engine imports only folders before it', async () => {
  const entries = await readdir(join(root, 'engine'), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(folders.sort()).toEqual(engineFolders.toSorted());
  const rankOf = (file: string) => engineFolders.indexOf(/^engine\/(\w+)\//.exec(file)?.[1] ?? '');
  const wrong = relativeImports
    .filter(({ from, to }) => rankOf(from) >= 0 && rankOf(to) > rankOf(from))
    .map(({ from, to }) => `${from} -> ${to}`);
  expect(wrong).toEqual([]);
});

test('default: other folders import only the index of a folder', () => {
  const wrong = relativeImports
    .filter(({ from, to }) => folderOf(from) !== folderOf(to))
    .filter(({ to }) => !to.endsWith('/index.ts') && !/^contracts\/(artifacts\/|planLeg\.ts$)/.test(to))
    .filter(({ to }) => !/^(package|openapi)\.json$/.test(to))
    .map(({ from, to }) => `${from} -> ${to}`);
  expect(wrong).toEqual([]);
});

test('no import path goes up four folders', () => {
  expect(imports.filter(({ specifier }) => specifier.startsWith('../../../../')).map(({ from }) => from)).toEqual([]);
});

test('no import is circular, type imports and tests included', async () => {
  const tests = (await findFiles('tests')).filter((file) => !file.includes('node_modules'));
  const edges = [...relativeImports, ...toRelative((await Promise.all(tests.map(readImports))).flat())];
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  const cycles: string[] = [];
  const walk = (file: string, trail: string[]): void => {
    const at = trail.indexOf(file);
    if (at >= 0) {
      cycles.push([...trail.slice(at), file].join(' -> '));
      return;
    }
    if (done.has(file)) return;
    for (const to of next.get(file) ?? []) walk(to, [...trail, file]);
    done.add(file);
  };
  for (const file of next.keys()) walk(file, []);
  expect(cycles).toEqual([]);
});

test('default: no folder uses a package that is forbidden there', () => {
  const wrong = imports
    .filter(({ from, specifier }) => forbiddenPackages[folderOf(from)]?.test(specifier))
    .map(({ from, specifier }) => `${from} -> ${specifier}`);
  expect(wrong).toEqual([]);
});

test('default: only some folders read process.env, call fetch or listen', async () => {
  const rules: [RegExp, RegExp][] = [
    [/process\.env/, /^(server|tools)\//],
    [/\bfetch\(|\.listen\(/, /^(server|tools|sandbox|client|docs-site)\//],
  ];
  const wrong: string[] = [];
  for (const file of sources) {
    const code = (await readFile(join(root, file), 'utf8')).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    for (const [pattern, allowed] of rules)
      if (pattern.test(code) && !allowed.test(file)) wrong.push(`${file}: ${pattern}`);
  }
  expect(wrong).toEqual([]);
});

test('default: every package that production imports is a production dependency', async () => {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  // Only users of the client package load client/trpc, whose packages are peer dependencies.
  const { peerDependencies } = JSON.parse(await readFile(join(root, 'client/package.template.json'), 'utf8'));
  const wrong = imports
    .filter(({ from }) => /^(router|engine|server|client|docs-site|contracts)\//.test(from))
    // Helpers of tests beside their source.
    .filter(({ from }) => !/\/test[A-Z]\w+\.ts$/.test(from))
    // Guides contain imports of the package that users install; no file imports it here.
    .filter(({ specifier }) => !/^truefill-client(\/|$)/.test(specifier))
    .filter(
      ({ specifier, typeOnly }) => !typeOnly && !/^(\.|node:)/.test(specifier) && !builtinModules.includes(specifier),
    )
    .filter(({ from, specifier }) => {
      const name = specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/');
      return !(name in manifest.dependencies) && !(from.startsWith('client/trpc/') && name in peerDependencies);
    })
    .map(({ from, specifier }) => `${from} -> ${specifier}`);
  expect(wrong).toEqual([]);
});

/** Files where addresses enter or leave the engine, the router, vendors and storage, and files that compare other text. */
const addressBoundaries = new Set([
  'engine/lowerAddress.ts',
  // Replies of nodes, logs, and the stored scope of pool indexes.
  'engine/pools/poolEvents.ts',
  'engine/quote/funding/storageLocations.ts',
  'engine/chain/wordReader.ts',
  'engine/pretrade/simulation/fromSimulation.ts',
  // The stored key of a holder has a checksum.
  'server/storage/facts/logIndexes.ts',
  // Answers.
  'engine/pretrade/axes/concentration.ts',
  'engine/pretrade/axes/liquidityWords.ts',
  'engine/pretrade/axes/oracle.ts',
  'engine/pretrade/axes/tradeWords.ts',
  'engine/pretrade/b20/weighB20.ts',
  'engine/pretrade/compose.ts',
  'engine/pretrade/context/dormancy.ts',
  'engine/pretrade/context/ownership.ts',
  'engine/pretrade/powers/describePowers.ts',
  'engine/pretrade/quoteOfCheck.ts',
  'engine/quote/answer/flags.ts',
  'engine/quote/market/notCovered.ts',
  'engine/quote/answer/quote.ts',
  'engine/quote/answer/route.ts',
  'engine/quote/query/sizeOrder.ts',
  'engine/quote/transaction/buildTransaction.ts',
  'engine/quote/transaction/checkPool.ts',
  'engine/quote/transaction/executorState.ts',
  'engine/venues/uniswapV4/poolKey.ts',
  'router/quote/assertContracts.ts',
  'router/quote/quoteInput.ts',
  // Hashes, words of call data, and names.
  'engine/chain/pinBlock.ts',
  'engine/chain/words.ts',
  'server/vendors/transport/wire.ts',
  'router/catalogue.ts',
]);

test('only files at the boundaries change or ignore the letter case of addresses', async () => {
  // Payments keep the checksummed addresses of x402.
  const checked = sources.filter((file) => /^(engine|router|server\/(vendors|storage))\//.test(file));
  const found = new Set<string>();
  for (const file of checked) {
    const code = await readFile(join(root, file), 'utf8');
    if (/\.toLowerCase\(\)|\bgetAddress\(|\bisAddressEqual\(/.test(code)) found.add(file);
  }
  expect(found).toEqual(addressBoundaries);
});
