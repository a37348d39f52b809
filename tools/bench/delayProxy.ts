import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

export interface DelayProxy {
  url: string;
  /** Delay of the bytes to the node in milliseconds; responses are not delayed. */
  delayMs: number;
  /** Totals so far. Bytes include HTTP headers. `roundTrips` counts client messages that follow a response. */
  readonly seen: { roundTrips: number; sentBytes: number; receivedBytes: number };
  close(): Promise<void>;
}

/**
 * Starts a loopback proxy that adds a network's delay. It parses no JSON, because the time to parse would depend on the
 * size, unlike a network's delay.
 *
 * @param target URL of a node's RPC
 */
export async function startDelayProxy(target: string): Promise<DelayProxy> {
  const { hostname, port } = new URL(target);
  const seen = { roundTrips: 0, sentBytes: 0, receivedBytes: 0 };
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const node = connect({ host: hostname, port: Number(port), noDelay: true });
    let answered = true;
    client.on('data', (chunk) => {
      if (answered) seen.roundTrips += 1;
      answered = false;
      seen.sentBytes += chunk.length;
      const { delayMs } = proxy;
      if (delayMs === 0) node.write(chunk);
      else setTimeout(() => node.write(chunk), delayMs);
    });
    node.on('data', (chunk) => {
      answered = true;
      seen.receivedBytes += chunk.length;
      client.write(chunk);
    });
    for (const [one, other] of [
      [client, node],
      [node, client],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: DelayProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    delayMs: 0,
    seen,
    close: () =>
      new Promise((resolve, reject) => {
        for (const socket of open) socket.destroy();
        server.close((error) => (error ? reject(error) : resolve()));
      }),
  };
  return proxy;
}
