import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from './app.ts';
import type { Config } from './config/index.ts';
import { buildDeps, type Deps } from './deps.ts';
import type { Environment } from './environment.ts';
import { answerBrokenRequests, type BrokenHow } from './http/answerBrokenRequests.ts';
import { createCountedLog } from './http/countedLog.ts';
import { createMessageClasses } from './http/messageClasses.ts';
import { openServer } from './http/openServer.ts';
import { stopListening } from './http/stopListening.ts';
import { openLiveEnvironment } from './liveMode.ts';
import { openInstrumentation } from './observability/instrumentation/openInstrumentation.ts';
import { openSandboxEnvironment } from './sandboxMode.ts';
import { type StartSummary, toStartSummary } from './startSummary.ts';

export interface RunningServer {
  /** The address listened on, e.g. `http://127.0.0.1:4020`. */
  url: string;
  summary: StartSummary;
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
  let closedConnections: () => void = () => undefined;
  const server = openServer(
    instrumentation.request((req, res) => listener(req, res)),
    { messages, limit: config.connections, onConnectionClosed: () => closedConnections() },
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
    const { logger } = deps;
    const log = createCountedLog(logger);
    closedConnections = () => log.count('Closed connections above CONNECTIONS_PER_ADDRESS', {});
    const onBroken = (how: BrokenHow) => instrumentation.record({ kind: 'broken request', how });
    answerBrokenRequests(server, { logger: deps.logger, baseUrl, onBroken });
    const app = createApp(deps);
    messages.adopt(app);
    listener = (req, res) => {
      rewriteForeignTarget(req);
      app(req, res);
    };
    const { engine, paymentService, storeOrigin: origin } = deps;
    await deps.storeProbe.check();
    const summary = toStartSummary({
      config,
      environment,
      origin,
      listens: boundTo(server),
      baseUrl,
      engine,
      poolIndexes: deps.poolIndexes,
      paymentService,
    });
    logger.info(summary, 'started');
    // A file that was there without content is a sign of lost payments.
    if (origin === 'empty file')
      logger.warn(
        { storage: summary.storage },
        'The database file was empty: a new ledger was created. Restore a backup if it had payments',
      );
    else if (origin === 'created') logger.info({ storage: summary.storage }, 'Created a new payment ledger');
    return { url, summary, metricsUrl: instrumentation.metricsUrl, close };
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

/** The bound address, for example `0.0.0.0:4020`. */
function boundTo(server: Server): string {
  const { address, port } = server.address() as AddressInfo;
  return `${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** Clients cannot connect to a wildcard address: its URL contains the loopback address. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
