import { connect } from 'node:net';

/** A request as raw HTTP/1.1. */
export interface RawRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** The head of a response as it was on the wire: status line, headers and blank line. */
export interface ResponseHead {
  status: number;
  bytes: number;
  /** The value of a header; undefined if the response has none. */
  header(name: string): string | undefined;
}

/** The bytes of a request. The connection stays open, as that of a reverse proxy, so the response has Keep-Alive. */
export function toBytes({ method, path, headers = {}, body = '' }: RawRequest): string {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: x'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  return `${[...lines, `Content-Length: ${Buffer.byteLength(body)}`].join('\r\n')}\r\n\r\n${body}`;
}

/** Sends bytes on a new connection and returns the head of the first response. */
export function readHead(port: number, request: string): Promise<ResponseHead> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const end = received.indexOf('\r\n\r\n');
      if (end < 0) return;
      socket.destroy();
      resolve(toHead(received.slice(0, end + 4)));
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`Closed without a complete head: ${received.slice(0, 200)}`)));
  });
}

function toHead(text: string): ResponseHead {
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(text) ?? [];
  if (!status) throw new Error(`Not a status line: ${text.slice(0, 80)}`);
  return {
    status: Number(status),
    bytes: text.length,
    header: (name) => new RegExp(`^${name}: (.*)\\r$`, 'im').exec(text)?.[1],
  };
}
