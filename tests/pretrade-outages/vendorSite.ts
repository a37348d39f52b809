import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a site fails each request. */
export type SiteFault = 'down' | 'slow' | 'trickle' | 'flood' | 'html' | 'broken' | 'error' | 'busy';

/** Returns the JSON response for a path; `undefined` for a 404. */
type Page = (path: string, query: URLSearchParams) => Promise<unknown>;

/** A fake vendor on loopback, which returns correct data unless a test sets a fault. */
export interface VendorSite {
  url: string;
  /** Path and query of each request, in order. */
  requests: string[];
  /** The fault of each request; undefined for none. */
  fault: (path: string) => SiteFault | undefined;
  /** Replaces a correct response by a false one. */
  falsify: ((path: string, page: unknown) => unknown) | undefined;
  /** Awaited before each response. */
  gate: () => Promise<void>;
  close(): Promise<void>;
}

const json = { 'content-type': 'application/json' };

export async function startVendorSite(page: Page): Promise<VendorSite> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://site');
    site.requests.push(request.url ?? '/');
    void answer(pathname, searchParams, response).catch((error: Error) => response.destroy(error));
  });

  async function answer(path: string, query: URLSearchParams, response: ServerResponse): Promise<void> {
    const fault = site.fault(path);
    if (fault) {
      breakAnswer(fault, response);
      return;
    }
    await site.gate();
    const correct = await page(path, query);
    const body = site.falsify ? site.falsify(path, correct) : correct;
    response.writeHead(body === undefined ? 404 : 200, json).end(JSON.stringify(body ?? { message: 'Not found' }));
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const site: VendorSite = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    fault: () => undefined,
    falsify: undefined,
    gate: async () => {},
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return site;
}

const fiftyMegabytes = 50;

function breakAnswer(fault: SiteFault, response: ServerResponse): void {
  if (fault === 'slow') return;
  if (fault === 'down') response.destroy();
  if (fault === 'html') response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><h1>Soon</h1>');
  if (fault === 'broken') response.writeHead(200, json).end('{"items":[{"address":{"hash":"0x42');
  if (fault === 'error') response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
  if (fault === 'busy') response.writeHead(429, { 'retry-after': '30' }).end('slow down');
  if (fault === 'trickle') {
    response.writeHead(200, json);
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  }
  if (fault === 'flood') flood(response);
}

/** Sends 50 MB of valid JSON, unless the client disconnects. */
function flood(response: ServerResponse): void {
  response.writeHead(200, json);
  const megabyte = ' '.repeat(1_048_576);
  let sent = 0;
  const sendMore = (): void => {
    while (sent < fiftyMegabytes) {
      sent += 1;
      if (!response.write(megabyte)) {
        response.once('drain', sendMore);
        return;
      }
    }
    response.end('{}');
  };
  response.on('error', () => {});
  sendMore();
}
