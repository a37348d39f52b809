import { randomUUID } from 'node:crypto';
import { type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { errorTable, RequestError, toErrorBody } from '../../router/index.ts';
import { createCountedLog } from './countedLog.ts';

/** Keep reading and discarding input for this long after the response: a TCP reset would discard the response too. */
const lingerMs = 500;
/**
 * Idle timeout of a CONNECT socket. Node detaches such sockets: it applies no timeout and does not close them with the
 * server.
 */
const connectIdleMs = 10_000;

/** Why a request could not be read. A metric label, so the values are fixed. */
export type BrokenHow = 'not http' | 'too large' | 'too slow' | 'connect';

interface Broken {
  how: BrokenHow;
  fault: RequestError;
}

interface BrokenDeps {
  logger: Logger;
  baseUrl: string;
  /** Called once for each malformed request. */
  onBroken?: (how: BrokenHow) => void;
  /** Idle timeout of a CONNECT socket with unread responses. */
  idleTimeoutMs?: number;
}

/**
 * Answers input that is not valid HTTP with the usual error body; Node would send a status without a body.
 * Earlier requests on the same connection get their responses first.
 */
export function answerBrokenRequests(
  server: Server,
  { logger, baseUrl, onBroken, idleTimeoutMs = connectIdleMs }: BrokenDeps,
): void {
  const log = createCountedLog(logger);
  // Arrays, because a Set would keep closed responses alive until a major garbage collection (docs/adr/003).
  const open = new WeakMap<Socket, ServerResponse[]>();
  const track: RequestListener = ({ socket }, res) => {
    const responses = open.get(socket) ?? [];
    responses.push(res);
    open.set(socket, responses);
    res.once('close', () => responses.splice(responses.indexOf(res), 1));
  };
  // Node emits requests with an `Expect` header under other event names.
  server.on('request', track).on('checkExpectation', track).on('checkContinue', track);

  function answer({ how, fault }: Broken, cause: string | undefined, socket: Socket): void {
    if (!socket.writable) return;
    const requestId = randomUUID();
    const { status } = errorTable[fault.code];
    onBroken?.(how);
    log.count('broken request', { requestId, status, cause });
    const body = JSON.stringify(toErrorBody(fault, { requestId, baseUrl }));
    socket.end(
      [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        'Connection: close',
        'Content-Type: application/json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Cache-Control: no-store',
        'Access-Control-Allow-Origin: *',
        'X-Content-Type-Options: nosniff',
        `X-Request-Id: ${requestId}`,
        '',
        body,
      ].join('\r\n'),
    );
    socket.resume();
    setTimeout(() => socket.destroy(), lingerMs).unref();
  }

  server.on('clientError', (error: NodeJS.ErrnoException, duplex) => {
    const socket = duplex as Socket;
    const responses = [...(open.get(socket) ?? [])];
    // The body of a request broke after its response began: clients would read another response as part of the first one.
    if (responses.some((res) => !res.req.complete && res.headersSent)) return void socket.destroy();
    const pending = responses.filter((res) => res.req.complete);
    void allClosed(pending).then(() => answer(describe(error), error.code, socket));
  });

  // Without a listener Node closes the socket silently. With one, this code owns the socket and must close it.
  server.on('connect', (_req, duplex) => {
    const socket = duplex as Socket;
    socket.on('error', () => undefined);
    socket.setTimeout(idleTimeoutMs, () => socket.destroy());
    void allClosed(open.get(socket) ?? []).then(() => answer({ how: 'connect', fault: noProxy() }, 'CONNECT', socket));
  });
}

const allClosed = (responses: readonly ServerResponse[]) =>
  Promise.all(responses.map((res) => new Promise((resolve) => res.once('close', resolve))));

const noProxy = () =>
  new RequestError(
    'NOT_FOUND',
    'CONNECT is not supported: this server is not a proxy. Nothing was charged. Send the request directly.',
  );

/** Maps Node's error codes; every other code is one of llhttp's parse errors. */
function describe({ code }: NodeJS.ErrnoException): Broken {
  const broken = (how: BrokenHow, ...fault: ConstructorParameters<typeof RequestError>): Broken => ({
    how,
    fault: new RequestError(...fault),
  });
  if (code === 'HPE_HEADER_OVERFLOW')
    return broken(
      'too large',
      'PAYLOAD_TOO_LARGE',
      'The headers exceed 16 KiB. Nothing was charged. Send smaller headers.',
    );
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return broken(
      'too large',
      'PAYLOAD_TOO_LARGE',
      'The chunk extensions are too large. Nothing was charged. Send none.',
    );
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return broken(
      'too slow',
      'INVALID_REQUEST',
      'The request timed out before it was complete. Nothing was charged. Send the complete request.',
    );
  return broken(
    'not http',
    'INVALID_REQUEST',
    'The request is not valid HTTP/1.1. Nothing was charged. Send it with an HTTP client.',
  );
}
