import { type ChainName, chainNames, poolEventsOf } from '../../engine/index.ts';
import { ConfigError, readConfig, readDatabaseUrl } from '../config/index.ts';
import { databaseLocation, openLiveEnvironment } from '../liveMode.ts';
import { createHttpRpcEndpoint, RpcTransportError } from '../rpc/index.ts';
import {
  DatabaseInUseError,
  DatabaseMissingError,
  DatabaseTooNewError,
  DatabaseUnavailableError,
  openPoolIndexes,
  openPoolIndexesToRead,
} from '../storage/index.ts';
import { createLogRpc, VendorUnavailableError } from '../vendors/index.ts';
import { exportIndex } from './exportIndex.ts';
import { type ImportTarget, importIndex } from './importIndex.ts';
import { type IndexSummary, readIndexFile } from './indexFile.ts';
import { IndexFileError } from './indexFileError.ts';

// npm run index -- export <chain> <file> | check <file> | import <file> <sha256>

const usage = `npm run index -- <command>
  export <chain> <file>   copies the pool index of a chain into a new file, also while the service runs
  check <file>            verifies a file, and prints its chain, blocks and hash; needs no node
  import <file> <sha256>  adds a file whose author you trust, after a comparison with the node (needs the live
                          configuration; with SQLite, stop the service first)
The hash is the one that the author of the file published. The database is DATABASE_URL if set, otherwise in DATA_DIR.
`;

/** Errors that an operator can fix. Their message is printed without a stack. */
const operatorErrors = [
  ConfigError,
  DatabaseInUseError,
  DatabaseMissingError,
  DatabaseTooNewError,
  DatabaseUnavailableError,
  IndexFileError,
  RpcTransportError,
  VendorUnavailableError,
];

const location = () => databaseLocation(readDatabaseUrl(process.env), process.env.DATA_DIR ?? 'data');

function toChain(name: string): ChainName {
  const chain = chainNames.find((each) => each === name);
  if (!chain) throw new ConfigError([`the chain must be one of ${chainNames.join(', ')}, got ${name}`]);
  return chain;
}

async function runExport(name: string, file: string): Promise<IndexSummary> {
  const chain = toChain(name);
  const { of, close } = await openPoolIndexesToRead(location());
  return exportIndex(chain, poolEventsOf(chain), of(chain), file).finally(close);
}

async function runImport(file: string, sha256: string): Promise<IndexSummary> {
  const config = readConfig(process.env);
  if (config.mode !== 'live') throw new ConfigError(['import reads the chain: set TRUEFILL_MODE=live and RPC_URL_…']);
  const { rpcUrls, database } = openLiveEnvironment(config);
  const { of, close } = await openPoolIndexes(database);
  const open = (name: string): ImportTarget => {
    const chain = toChain(name);
    const endpoints = (rpcUrls[chain] ?? []).map((url, at) =>
      createHttpRpcEndpoint({ url, label: `${chain}-${at + 1}`, timeoutMs: config.deadlineMs }),
    );
    const rpc = createLogRpc(endpoints, new AbortController().signal, () => undefined);
    return { chain, events: poolEventsOf(chain), store: of(chain), rpc };
  };
  return importIndex(file, sha256, open).finally(close);
}

function describe({ header: { chain, ranges }, pools, sha256 }: IndexSummary): string {
  const blocks = ranges.map(([from, to]) => `${from} to ${to}`).join(', ');
  return `${pools} pools of ${chain}, blocks ${blocks}\nSHA-256 ${sha256}\n`;
}

async function run([command, ...args]: string[]): Promise<IndexSummary | undefined> {
  const [first, second] = args;
  if (command === 'export' && first && second) return runExport(first, second);
  if (command === 'check' && first) return readIndexFile(first);
  if (command === 'import' && first && second) return runImport(first, second);
  return undefined;
}

try {
  const summary = await run(process.argv.slice(2));
  if (summary) process.stdout.write(describe(summary));
  else {
    process.stderr.write(usage);
    process.exitCode = 2;
  }
} catch (error) {
  if (!(error instanceof Error) || !operatorErrors.some((kind) => error instanceof kind)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
