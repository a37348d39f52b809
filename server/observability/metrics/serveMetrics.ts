import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from './createMetrics.ts';

/** Serves metrics on a separate port, so that no path of the service exposes them. */
export interface MetricsServer {
  /** `http://127.0.0.1:9464/metrics` */
  url: string;
  close(): Promise<void>;
}

async function answer(metrics: Metrics, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const [path] = (req.url ?? '').split('?');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  if (path !== '/metrics') {
    res.writeHead(404).end();
    return;
  }
  if (req.method !== 'GET' && req.method !== 'HEAD') {
    res.writeHead(405, { Allow: 'GET, HEAD' }).end();
    return;
  }
  const text = await metrics.scrape();
  res.writeHead(200, { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' });
  res.end(req.method === 'HEAD' ? undefined : text);
}

/**
 * Serves `/metrics` and nothing else. The endpoint has no authentication.
 *
 * @param at `port` 0 selects a free port
 * @param onFault receives the error of a failed scrape; the scraper gets a 500
 * @throws EADDRINUSE, EACCES and other errors of `listen`
 */
export async function serveMetrics(
  metrics: Metrics,
  at: { host: string; port: number },
  onFault: (error: unknown) => void,
): Promise<MetricsServer> {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 10_000 }, (req, res) => {
    answer(metrics, req, res).catch((error) => {
      onFault(error);
      if (res.headersSent) res.destroy();
      else res.writeHead(500).end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at.port, at.host, () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  const host = at.host.includes(':') ? `[${at.host}]` : at.host;
  return {
    url: `http://${host}:${port}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
