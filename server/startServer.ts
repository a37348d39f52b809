import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from './app.ts';
import type { Config } from './config/index.ts';
import { buildDeps } from './deps.ts';
import { answerBrokenRequests, type BrokenHow } from './http/answerBrokenRequests.ts';
import { createMessageClasses } from './http/messageClasses.ts';
import { openServer } from './http/openServer.ts';
import { stopListening } from './http/stopListening.ts';
import { openLiveEnvironment } from './liveMode.ts';
import { openWatch } from './observability/watch/openWatch.ts';
import { openSandboxEnvironment } from './sandboxMode.ts';

export interface RunningServer {
  /** The address listened on, e.g. `http://127.0.0.1:4020`. */
  url: string;
  /** URL of the metrics, if configured. */
  metricsUrl: string | undefined;
  /** Completes running requests, then closes everything. */
  close(): Promise<void>;
}

/**
 * Starts the service. It listens first, because payment offers contain the address; until it is ready it responds 503.
 * @throws {WrongChainError | PaymentNetworkMismatchError | DatabaseInUseError} and errors of `listen`
 */
export async function startServer(config: Config): Promise<RunningServer> {
  let answer = stillStarting;
  const watch = await openWatch(config);
  const messages = createMessageClasses();
  const server = openServer(
    watch.request((req, res) => answer(req, res)),
    { messages },
  );
  const closers: (() => Promise<void>)[] = [() => stopListening(server), () => watch.close()];
  const closeAll = async () => {
    for (const close of closers) await close();
  };

  try {
    const url = await listen(server, config);
    const environment = config.mode === 'live' ? openLiveEnvironment(config) : await openSandboxEnvironment();
    closers.push(() => environment.close());
    const baseUrl = config.publicUrl ?? url;
    const deps = await buildDeps(config, environment, baseUrl, watch);
    // Drain before the socket closes, so that new requests get a 503 that states that nothing was charged.
    closers.unshift(() => deps.work.drain());
    closers.splice(2, 0, () => deps.close());
    watch.observeState(deps.sources, deps.logger);
    const onBroken = (how: BrokenHow) => watch.record({ kind: 'broken request', how });
    answerBrokenRequests(server, { logger: deps.logger, baseUrl, onBroken });
    const listener = createApp(deps);
    messages.adopt(listener);
    answer = (req, res) => {
      rejectForeignTarget(req);
      listener(req, res);
    };
    return { url, metricsUrl: watch.metricsUrl, close: closeAll };
  } catch (cause) {
    await closeAll();
    throw cause;
  }
}

/**
 * Turns targets like `http://host/path` and `*` into paths that are not served. Express would parse them before any
 * middleware runs, and answer invalid ones in its own format.
 */
function rejectForeignTarget(req: IncomingMessage): void {
  if (!req.url?.startsWith('/')) req.url = `//${req.url}`;
}

const stillStarting: RequestListener = (_req, res) => {
  res.writeHead(503, {
    'Content-Type': 'application/json',
    'Retry-After': '1',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  res.end('{"status":"starting","ready":false,"missing":["STARTED"]}');
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

/** The wildcard addresses cannot be called; the URL contains the loopback address instead. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
