import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { decodeLoosely } from '../observability/redaction/secretsOfUrl.ts';

/** The head of an answer; its body is still to be read. */
export interface HttpAnswer {
  status: number;
  retryAfter: string | undefined;
  /** As text was meant: unpacked. Undefined for an encoding that was not asked for. */
  body: Readable | undefined;
  /** Lets go of it without reading. */
  drop(): void;
}

/** Servers close what stands idle; a connection that was let go before is not found closed when it is wanted. */
const idleMs = 4_000;

/**
 * Posts JSON to one URL over connections that are kept, without following redirects.
 *
 * Node's own client and not `fetch`: a call costs a third of the CPU that way (115 instead of 336 µs, measured side by
 * side), and a process 12 MiB less.
 */
export function createHttpPost(url: string): (body: string, signal: AbortSignal) => Promise<HttpAnswer> {
  const place = new URL(url);
  const own = { 'content-type': 'application/json', 'accept-encoding': 'gzip', ...takeUser(place) };
  const isSecure = place.protocol === 'https:';
  const send = isSecure ? httpsRequest : httpRequest;
  const options = { keepAlive: true, timeout: idleMs };
  const agent = isSecure ? new HttpsAgent(options) : new HttpAgent(options);
  return (body, signal) =>
    new Promise((resolve, reject) => {
      const headers = { ...own, 'content-length': Buffer.byteLength(body) };
      const request = send(place, { method: 'POST', agent, signal, headers }, (response) =>
        resolve(toAnswer(response)),
      );
      request.on('error', reject);
      request.end(body);
    });
}

/** A user name goes where HTTP has it; Node itself would fail at one with a `%` that means nothing. */
function takeUser(place: URL): { authorization?: string } {
  const { username, password } = place;
  if (!username && !password) return {};
  place.username = '';
  place.password = '';
  const user = Buffer.from(`${decodeLoosely(username)}:${decodeLoosely(password)}`);
  return { authorization: `Basic ${user.toString('base64')}` };
}

function toAnswer(response: IncomingMessage): HttpAnswer {
  return {
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    body: unpacked(response),
    drop: () => response.destroy(),
  };
}

function unpacked(response: IncomingMessage): Readable | undefined {
  const encoding = response.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return response;
  if (encoding !== 'gzip') return undefined;
  const text = createGunzip();
  // What breaks off is told to who reads, and who reads no further lets go of the connection.
  response.on('error', (error) => text.destroy(error));
  text.on('close', () => response.destroy());
  return response.pipe(text);
}
