import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface DroppingProxy {
  url: string;
  /** While true, paid requests reach the service, and their responses are dropped. */
  dropping: boolean;
  /** Every forwarded PAYMENT-SIGNATURE, in order. */
  signatures: string[];
  /** The number of dropped responses. */
  dropped: number;
  close(): Promise<void>;
}

/** A proxy that can drop the responses to paid requests. */
export async function startDroppingProxy(target: string): Promise<DroppingProxy> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const signature = incoming.headers['payment-signature'];
    const { method, url: path, headers } = incoming;
    const forwarded = request({ hostname, port, method, path, headers }, (answer) => {
      if (signature !== undefined && proxy.dropping) {
        answer.resume().once('end', () => {
          proxy.dropped += 1;
          outgoing.destroy();
        });
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.once('error', () => outgoing.destroy());
    if (typeof signature === 'string') proxy.signatures.push(signature);
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: DroppingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    dropping: false,
    signatures: [],
    dropped: 0,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return proxy;
}
