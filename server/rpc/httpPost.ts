import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import { createGunzip } from 'node:zlib';
import { decodeLoosely } from '../observability/redaction/secretsOfUrl.ts';

/** A response whose body is not read yet. */
export interface HttpResponse {
  status: number;
  retryAfter: string | undefined;
  /** The decompressed body. Undefined for an unsupported encoding. */
  body: Readable | undefined;
  /** Closes the connection without reading the body. */
  drop(): void;
}

/**
 * Closes idle connections before most load balancers do (60 s). Longer than the pauses between probes of idle nodes and between
 * the requests of `keepConnections`. A server's `Keep-Alive: timeout` shortens it.
 */
export const idleMs = 50_000;

/**
 * Posts JSON to one URL over keep-alive connections, without following redirects.
 *
 * Uses `node:http`: compared with `fetch`, a call takes a third of the CPU time (115 instead of 336 µs) and the process
 * 12 MiB less memory.
 */
export function createHttpPost(url: string): (body: string, signal: AbortSignal) => Promise<HttpResponse> {
  const target = new URL(url);
  const fixed = { 'content-type': 'application/json', 'accept-encoding': 'gzip', ...takeCredentials(target) };
  const isSecure = target.protocol === 'https:';
  const send = isSecure ? httpsRequest : httpRequest;
  const options = { keepAlive: true, timeout: idleMs };
  const agent = isSecure ? new HttpsAgent(options) : new HttpAgent(options);
  // Parsed once; from a URL, `request` would parse it each time.
  const to = { ...urlToHttpOptions(target), method: 'POST', agent };
  const sendOnce = (body: string, signal: AbortSignal): Promise<HttpResponse> =>
    new Promise((resolve, reject) => {
      const headers = { ...fixed, 'content-length': Buffer.byteLength(body) };
      const request = send({ ...to, signal, headers }, (response) => resolve(toResponse(response)));
      request.on('error', (error: NodeJS.ErrnoException) =>
        reject(request.reusedSocket && closedCodes.has(error.code) ? new ClosedWhileIdle(error) : error),
      );
      request.once('socket', ignoreLateErrors);
      // Node sends headers and a string body in one write.
      request.end(body);
    });
  return async (body, signal) => {
    for (;;) {
      try {
        return await sendOnce(body, signal);
      } catch (error) {
        if (!(error instanceof ClosedWhileIdle)) throw error;
        // The server may have closed several idle connections. A failure of a new one is thrown above.
        signal.throwIfAborted();
      }
    }
  };
}

const closedCodes: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE']);

/**
 * A reused connection broke before the response, most likely because the server closed it while it was idle. Each request of
 * this service may be sent twice: reads, and transactions whose signed bytes are the same.
 */
class ClosedWhileIdle extends Error {
  constructor(cause: Error) {
    super('The server closed the idle connection.', { cause });
  }
}

/**
 * A server may respond and close the connection before it has read a large body. Node has removed its error listener by
 * then, so the failed write would be an uncaught error and end the process.
 */
function ignoreLateErrors(socket: Socket): void {
  if (!socket.listeners('error').includes(ignoreError)) socket.on('error', ignoreError);
}

export function ignoreError(): void {
  // The request reports the errors that matter.
}

/** Moves the URL's credentials to a header. Node would do so too, but throws on an invalid percent-encoding. */
function takeCredentials(target: URL): { authorization?: string } {
  const { username, password } = target;
  if (!username && !password) return {};
  target.username = '';
  target.password = '';
  const user = Buffer.from(`${decodeLoosely(username)}:${decodeLoosely(password)}`);
  return { authorization: `Basic ${user.toString('base64')}` };
}

function toResponse(response: IncomingMessage): HttpResponse {
  return {
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    body: decompress(response),
    drop: () => response.destroy(),
  };
}

function decompress(response: IncomingMessage): Readable | undefined {
  const encoding = response.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return response;
  if (encoding !== 'gzip') return undefined;
  const text = createGunzip();
  // Pass a broken connection on to the reader, and close the connection when the reader stops.
  response.on('error', (error) => text.destroy(error));
  text.on('close', () => response.destroy());
  return response.pipe(text);
}
