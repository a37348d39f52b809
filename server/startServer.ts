import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from './app.ts';
import type { Config } from './config/index.ts';
import { buildDeps, type Deps } from './deps.ts';
import type { Environment } from './environment.ts';
import { answerBrokenRequests, type BrokenHow } from './http/answerBrokenRequests.ts';
import { createMessageClasses } from './http/messageClasses.ts';
import { openServer } from './http/openServer.ts';
import { stopListening } from './http/stopListening.ts';
import { openLiveEnvironment } from './liveMode.ts';
import { openInstrumentation } from './observability/instrumentation/openInstrumentation.ts';
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
  let listener = respondStarting;
  const instrumentation = await openInstrumentation(config);
  const messages = createMessageClasses();
  const server = openServer(
    instrumentation.request((req, res) => listener(req, res)),
    { messages },
  );
  let environment: Environment | undefined;
  let deps: Deps | undefined;
  const close = async () => {
    // Drain before the socket closes, so that new requests get a 503 that states that nothing was charged.
    await deps?.work.drain();
    await stopListening(server);
    await deps?.close();
    await instrumentation.close();
    await environment?.close();
  };

  try {
    const url = await listen(server, config);
    environment = config.mode === 'live' ? openLiveEnvironment(config) : await openSandboxEnvironment();
    const baseUrl = config.publicUrl ?? url;
    deps = await buildDeps(config, environment, baseUrl, instrumentation);
    instrumentation.observeState(deps.sources, deps.logger);
    const onBroken = (how: BrokenHow) => instrumentation.record({ kind: 'broken request', how });
    answerBrokenRequests(server, { logger: deps.logger, baseUrl, onBroken });
    const app = createApp(deps);
    messages.adopt(app);
    listener = (req, res) => {
      rewriteForeignTarget(req);
      app(req, res);
    };
    return { url, metricsUrl: instrumentation.metricsUrl, close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

/**
 * Rewrites targets like `http://host/path` and `*` to paths that are not served. Express would parse them before any
 * middleware runs, and answer invalid ones in its own format.
 */
function rewriteForeignTarget(req: IncomingMessage): void {
  if (!req.url?.startsWith('/')) req.url = `//${req.url}`;
}

const respondStarting: RequestListener = (_req, res) => {
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
      const { port: boundPort } = server.address() as AddressInfo;
      resolve(`http://${reachable(host)}:${boundPort}`);
    });
  });
}

/** Clients cannot connect to a wildcard address: its URL contains the loopback address. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
