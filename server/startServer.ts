import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from './app.ts';
import type { Config } from './config/index.ts';
import { buildDeps } from './deps.ts';
import { answerBrokenRequests, type BrokenHow } from './http/answerBrokenRequests.ts';
import { docsUrlOf } from './http/docsUrlOf.ts';
import { openServer } from './http/openServer.ts';
import { stopListening } from './http/stopListening.ts';
import { openLiveWorld } from './liveMode.ts';
import { openWatch } from './observability/watch/openWatch.ts';
import { openSandboxWorld } from './sandboxMode.ts';

export interface RunningServer {
  /** The address listened on, e.g. `http://127.0.0.1:4020`. */
  url: string;
  /** Where its metrics are, when they are asked for. */
  metricsUrl: string | undefined;
  /** Answers what is under way, then ends everything. */
  close(): Promise<void>;
}

/**
 * Brings the service up. The socket comes first, because offers name the address; until all is built it says 503.
 * @throws {WrongChainError | PaymentNetworkMismatchError | DatabaseInUseError} and what listening throws
 */
export async function startServer(config: Config): Promise<RunningServer> {
  let answer = stillStarting;
  const watch = await openWatch(config);
  const server = openServer(watch.request((req, res) => answer(req, res)));
  const closers: (() => Promise<void>)[] = [() => stopListening(server), () => watch.close()];
  const closeAll = async () => {
    for (const close of closers) await close();
  };

  try {
    const url = await listen(server, config);
    const world = config.mode === 'live' ? openLiveWorld(config) : await openSandboxWorld();
    closers.push(() => world.close());
    const baseUrl = config.publicUrl ?? url;
    const deps = await buildDeps(config, world, baseUrl, watch);
    // It listens while it finishes: who comes then hears that nothing was charged.
    closers.unshift(() => deps.work.drain());
    closers.splice(2, 0, () => deps.close());
    watch.lookAt(deps.sources, deps.logger);
    const onBroken = (how: BrokenHow) => watch.happened({ kind: 'broken request', how });
    answerBrokenRequests(server, { logger: deps.logger, docsUrl: docsUrlOf({ baseUrl }), onBroken });
    const listener = createApp(deps);
    answer = (req, res) => {
      noteForeignTarget(req);
      listener(req, res);
    };
    return { url, metricsUrl: watch.metricsUrl, close: closeAll };
  } catch (cause) {
    await closeAll();
    throw cause;
  }
}

/**
 * `http://host/path` and `*` are targets too, and none of ours. The framework parses them before anything of ours runs,
 * and answers those that are no URL in words of its own; so they come as paths that nobody serves.
 */
function noteForeignTarget(req: IncomingMessage): void {
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

/** All interfaces are no address that one can call. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
