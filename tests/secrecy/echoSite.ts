import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A remote service that echoes each request, including the keys in it. */
export interface EchoSite {
  url: string;
  /** All requests as text: path and headers. */
  readonly received: string;
  /** Builds the response from the echo; the default status is 200. */
  wrap: (echo: string, path: string) => { status?: number; type?: string; location?: string; body: unknown };
  close(): Promise<void>;
}

export async function startEchoSite(): Promise<EchoSite> {
  let received = '';
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const echo = `${request.url} ${JSON.stringify(request.headers)}`;
    received += `${echo}\n`;
    const { status = 200, type = 'application/json', location, body } = site.wrap(echo, request.url ?? '');
    response
      .writeHead(status, { 'content-type': type, ...(location && { location }) })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const site: EchoSite = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get received() {
      return received;
    },
    wrap: (echo) => ({ body: { message: echo } }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return site;
}
