import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Bytes to send and how to send them. */
export interface RawRequest {
  bytes: Buffer;
  /** Splits the bytes into separate writes, as fractions of the whole. */
  cuts: readonly number[];
  /** `close`: half-close after the last byte; `reset`: destroy the socket; `wait`: wait for responses. */
  ending: 'wait' | 'close' | 'reset';
  /** Number of requests in the bytes, all of one method. */
  requests: number;
  method: string;
}

export interface RawResponse {
  status: number;
  headers: Map<string, string>;
  body: string;
}

export interface Exchange {
  responses: RawResponse[];
  /** Bytes that are not an HTTP response. */
  rest: string;
  /** Whether the server kept the connection open after the client closed it. */
  hung: boolean;
}

/** Timeout for the first byte of a response. */
const firstByteMs = 10_000;
/** Without data for this time, the responses count as complete. */
const idleMs = 40;
/** Timeout for the server to close a connection that the client closed. */
const hangMs = 4_000;

/** Opens a connection, sends the bytes, reads until idle, closes, and waits for the server to close. */
export async function exchangeRaw(port: number, request: RawRequest): Promise<Exchange> {
  const { bytes, cuts, ending } = request;
  const chunks: Buffer[] = [];
  let receivedAt = 0;
  let over = false;
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    receivedAt = performance.now();
  });
  // Reset or broken pipe: the server answered and closed first.
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) =>
    socket.once('close', () => {
      over = true;
      resolve();
    }),
  );
  await Promise.race([once(socket, 'connect').catch(() => undefined), closed]);
  let from = 0;
  for (const cut of [...cuts, 1]) {
    const to = Math.max(from, Math.round(cut * bytes.length));
    if (over) break;
    socket.write(bytes.subarray(from, to));
    from = to;
    if (cut < 1) await sleep(2);
  }
  if (ending === 'reset') {
    socket.resetAndDestroy();
    await closed;
  }
  if (ending === 'wait') {
    const since = performance.now();
    while (
      !over &&
      (receivedAt === 0 ? performance.now() - since < firstByteMs : performance.now() - receivedAt < idleMs)
    )
      await Promise.race([sleep(5), closed]);
  }
  if (!over) socket.end();
  const hung = await Promise.race([closed.then(() => false), sleep(hangMs, true, { ref: false })]);
  socket.destroy();
  return { ...parseResponses(Buffer.concat(chunks), request), hung };
}

function parseResponses(all: Buffer, { method, requests }: RawRequest): Pick<Exchange, 'responses' | 'rest'> {
  const responses: RawResponse[] = [];
  let rest = all;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) break;
    const [first = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
    if (!status) break;
    const headers = new Map(
      lines.map((line): [string, string] => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    rest = rest.subarray(end + 4);
    if (status === 100) continue;
    const isBare = (method === 'HEAD' && responses.length < requests) || status === 204 || status === 304;
    const found = isBare ? { body: Buffer.alloc(0), length: 0 } : takeBody(rest, headers);
    // Truncated because the client closed the connection.
    if (!found) break;
    rest = rest.subarray(found.length);
    responses.push({ status, headers, body: found.body.toString('utf8') });
  }
  return { responses, rest: rest.toString('latin1') };
}

function takeBody(rest: Buffer, headers: Map<string, string>): { body: Buffer; length: number } | undefined {
  if (headers.get('transfer-encoding') !== 'chunked') {
    const length = Number(headers.get('content-length') ?? rest.length);
    return rest.length < length ? undefined : { body: rest.subarray(0, length), length };
  }
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const line = rest.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = Number.parseInt(rest.subarray(at, line).toString('latin1'), 16);
    if (rest.length < line + 4 + size) return undefined;
    parts.push(rest.subarray(line + 2, line + 2 + size));
    at = line + 4 + size;
    if (size === 0) return { body: Buffer.concat(parts), length: at };
  }
}
