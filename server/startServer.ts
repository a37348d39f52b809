import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createListener } from './app.ts';
import type { Config } from './config/index.ts';
import { buildDeps } from './deps.ts';
import { openLiveWorld } from './liveMode.ts';
import { openSandboxWorld } from './sandboxMode.ts';

export interface RunningServer {
  /** The address listened on, e.g. `http://127.0.0.1:4020`. */
  url: string;
  /** Answers what is under way, then ends everything. */
  close(): Promise<void>;
}

/**
 * Brings the service up. The socket comes first, because offers name the address; until all is built it says 503.
 * @throws {WrongChainError | PaymentNetworkMismatchError | DatabaseInUseError} and what listening throws
 */
export async function startServer(config: Config): Promise<RunningServer> {
  let answer = stillStarting;
  const server = createServer(
    { headersTimeout: 15_000, requestTimeout: 30_000, keepAliveTimeout: 65_000 },
    (req, res) => answer(req, res),
  );
  const closers: (() => Promise<void>)[] = [() => stopListening(server)];
  const closeAll = async () => {
    for (const close of closers) await close();
  };

  try {
    const url = await listen(server, config);
    const world = config.mode === 'live' ? openLiveWorld(config) : await openSandboxWorld();
    closers.push(() => world.close());
    const deps = await buildDeps(config, world, config.publicUrl ?? url);
    // It listens while it finishes: who comes then hears that nothing was charged.
    closers.unshift(() => deps.work.drain());
    closers.splice(2, 0, () => deps.close());
    answer = createListener(deps);
    return { url, close: closeAll };
  } catch (cause) {
    await closeAll();
    throw cause;
  }
}

const stillStarting: RequestListener = (_req, res) => {
  res.writeHead(503, { 'Content-Type': 'application/json', 'Retry-After': '1', 'Cache-Control': 'no-store' });
  res.end('{"status":"starting"}');
};

function listen(server: Server, { host, port }: Config): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const { port: taken } = server.address() as AddressInfo;
      resolve(`http://${reachable(host)}:${taken}`);
    });
  });
}

/** All interfaces are no address that one can call. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** A connection that is kept alive would hold the server open after its last answer. */
function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), 100);
    // The error says that it was not listening, which is what is wanted.
    server.close(() => {
      clearInterval(sweep);
      resolve();
    });
  });
}
