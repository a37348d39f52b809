import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

export interface DelayLine {
  url: string;
  /** Delay of a client's bytes in milliseconds. */
  delayMs: number;
  /** Delay of a broadcast that waits for its receipt: the time in which the node preconfirms. Default: as other bytes. */
  preconfirmMs: number | undefined;
  /** Bytes so far, headers included. `turns` counts client messages that follow a response. */
  readonly seen: { turns: number; sentBytes: number; receivedBytes: number };
  close(): Promise<void>;
}

/**
 * A loopback proxy that only adds a network's delay: it forwards bytes without parsing them. Parsing each request would
 * add a cost by size that a network does not have.
 *
 * @param target URL of a node's RPC
 */
export async function startDelayLine(target: string): Promise<DelayLine> {
  const { hostname, port } = new URL(target);
  const seen = { turns: 0, sentBytes: 0, receivedBytes: 0 };
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const node = connect({ host: hostname, port: Number(port), noDelay: true });
    let answered = true;
    client.on('data', (chunk) => {
      if (answered) seen.turns += 1;
      answered = false;
      seen.sentBytes += chunk.length;
      const isBroadcast = line.preconfirmMs !== undefined && chunk.includes('eth_sendRawTransactionSync');
      const delayMs = isBroadcast ? (line.preconfirmMs ?? 0) : line.delayMs;
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
  const line: DelayLine = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    delayMs: 0,
    preconfirmMs: undefined,
    seen,
    close: () =>
      new Promise((resolve, reject) => {
        for (const socket of open) socket.destroy();
        server.close((error) => (error ? reject(error) : resolve()));
      }),
  };
  return line;
}
