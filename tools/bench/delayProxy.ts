import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { TcpPath } from './tcpPath.ts';

export interface DelayProxy {
  url: string;
  /** Round trip in milliseconds. 0: bytes are forwarded at once. */
  delayMs: number;
  /**
   * Totals so far. Bytes include HTTP headers. `requests` counts client messages that follow a response. `roundTrips` adds a
   * round trip for each new connection and for each wait for acknowledgements; those of concurrent connections add up.
   */
  readonly seen: { requests: number; roundTrips: number; sentBytes: number; receivedBytes: number };
  close(): Promise<void>;
}

/**
 * Starts a loopback proxy with a network's round trip and TCP's slow start in both directions (`tcpPath.ts`). It parses no
 * JSON, because the time to parse would depend on the size, unlike a network's delay.
 *
 * @param target URL of a node's RPC, or of any TCP server
 */
export async function startDelayProxy(target: string): Promise<DelayProxy> {
  const { hostname, port } = new URL(target);
  const totals = { requests: 0, connections: 0, waits: 0, sentBytes: 0, receivedBytes: 0 };
  const delayMs = () => proxy.delayMs;
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const node = connect({ host: hostname, port: Number(port), noDelay: true });
    const [up, down] = [new TcpPath(node, delayMs, totals), new TcpPath(client, delayMs, totals)];
    const handshakeMs = proxy.delayMs;
    if (handshakeMs > 0) {
      totals.connections += 1;
      client.pause();
      setTimeout(() => client.resume(), handshakeMs);
    }
    let answered = true;
    client.on('data', (chunk: Buffer) => {
      if (answered) totals.requests += 1;
      answered = false;
      totals.sentBytes += chunk.length;
      up.send(chunk);
    });
    node.on('data', (chunk: Buffer) => {
      answered = true;
      totals.receivedBytes += chunk.length;
      down.send(chunk);
    });
    for (const [one, other] of [
      [client, node],
      [node, client],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        // The last bytes are still under way.
        setTimeout(() => other.destroy(), one === node ? 4 * proxy.delayMs : 0);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: DelayProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    delayMs: 0,
    get seen() {
      const { requests, connections, waits, sentBytes, receivedBytes } = totals;
      return { requests, roundTrips: requests + connections + waits, sentBytes, receivedBytes };
    },
    close: () =>
      new Promise((resolve, reject) => {
        for (const socket of open) socket.destroy();
        server.close((error) => (error ? reject(error) : resolve()));
      }),
  };
  return proxy;
}
