import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A minimal load balancer: round robin, and the next replica when one refuses the connection. */
export interface Balancer {
  url: string;
  /** Requests that each replica has answered. */
  served: Map<string, number>;
  close(): Promise<void>;
}

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** @param replicas base URLs; the balancer listens on a free loopback port */
export async function startBalancer(replicas: readonly string[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const served = new Map(replicas.map((url) => [url, 0]));
  let turn = 0;

  function pass(incoming: IncomingMessage, body: Buffer, outgoing: ServerResponse, left: number): void {
    const replica = replicas[turn++ % replicas.length] ?? '';
    const forwarded = [incoming.headers['x-forwarded-for'], incoming.socket.remoteAddress].filter(Boolean).join(', ');
    const onward = request(
      new URL(incoming.url ?? '/', replica),
      { method: incoming.method, headers: { ...incoming.headers, 'x-forwarded-for': forwarded }, agent },
      (answer) => {
        served.set(replica, (served.get(replica) ?? 0) + 1);
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(outgoing);
        answer.on('error', () => outgoing.destroy());
      },
    );
    onward.on('error', () => {
      // Retrying is safe: a payment is charged once for any number of replicas.
      if (left > 1 && !outgoing.headersSent) pass(incoming, body, outgoing, left - 1);
      else if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(503, { 'Retry-After': '1' }).end();
    });
    onward.end(body);
  }

  const server = createServer(async (incoming, outgoing) => {
    pass(incoming, await readAll(incoming), outgoing, replicas.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    served,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        agent.destroy();
        server.close(() => resolve());
      }),
  };
}
