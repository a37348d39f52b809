import { randomUUID } from 'node:crypto';
import { type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { errorTable, RequestError, toErrorBody } from '../../router/index.ts';

/** After our word, what the other side still sends is thrown away for so long: a reset would take the word along. */
const lingerMs = 500;
/** What Node has let go it neither clocks nor closes when the server does: so long may nothing move while answers are owed. */
const silentMs = 10_000;

/** Why a request never came to be one, in words of ours. */
export type BrokenHow = 'not http' | 'too large' | 'too slow' | 'connect';

interface Broken {
  how: BrokenHow;
  fault: RequestError;
}

interface BrokenDeps {
  logger: Logger;
  docsUrl: string;
  /** Told of each. */
  onBroken?: (how: BrokenHow) => void;
  /** Who asked for a tunnel and does not read what he is owed is cut after so long. */
  silentAfterMs?: number;
}

/**
 * What cannot be read as HTTP never becomes a request: Node would answer it with a bare status. Here it is told in the
 * shape of every other error, and only after the requests before it on the same connection had their answers.
 */
export function answerBrokenRequests(
  server: Server,
  { logger, docsUrl, onBroken, silentAfterMs = silentMs }: BrokenDeps,
): void {
  const open = new WeakMap<Socket, Set<ServerResponse>>();
  const note: RequestListener = ({ socket }, res) => {
    const responses = open.get(socket) ?? new Set();
    open.set(socket, responses.add(res));
    res.once('close', () => responses.delete(res));
  };
  // Node tells of a request with an expectation that it does not know by another name.
  server.on('request', note).on('checkExpectation', note).on('checkContinue', note);

  function answer({ how, fault }: Broken, cause: string | undefined, socket: Socket): void {
    if (!socket.writable) return;
    const requestId = randomUUID();
    const { status } = errorTable[fault.code];
    onBroken?.(how);
    logger.info({ requestId, status, cause }, 'broken request');
    const body = JSON.stringify(toErrorBody(fault, { requestId, docsUrl }));
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
    // Its own body is what broke, and it has said something already: whatever follows would be taken for more of that.
    if (responses.some((res) => !res.req.complete && res.headersSent)) return void socket.destroy();
    const before = responses.filter((res) => res.req.complete);
    const left = before.map((res) => new Promise((resolve) => res.once('close', resolve)));
    void Promise.all(left).then(() => answer(describe(error), error.code, socket));
  });

  // Node hangs up on it without a word; from here on the socket is nobody's but ours.
  server.on('connect', (_req, duplex) => {
    const socket = duplex as Socket;
    socket.on('error', () => undefined);
    socket.setTimeout(silentAfterMs, () => socket.destroy());
    const left = [...(open.get(socket) ?? [])].map((res) => new Promise((resolve) => res.once('close', resolve)));
    void Promise.all(left).then(() => answer({ how: 'connect', fault: noProxy() }, 'CONNECT', socket));
  });
}

const noProxy = () =>
  new RequestError('NOT_FOUND', 'This is no proxy: CONNECT leads nowhere. Send the request itself.');

/** Node's own codes; whatever else it finds is one of llhttp's many words for "not HTTP". */
function describe({ code }: NodeJS.ErrnoException): Broken {
  const told = (how: BrokenHow, ...words: ConstructorParameters<typeof RequestError>): Broken => ({
    how,
    fault: new RequestError(...words),
  });
  if (code === 'HPE_HEADER_OVERFLOW')
    return told('too large', 'PAYLOAD_TOO_LARGE', 'The headers are over 16 KiB. Valid ones are far smaller.');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return told('too large', 'PAYLOAD_TOO_LARGE', 'The chunks carry more extensions than can be read. Send none.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return told('too slow', 'INVALID_REQUEST', 'The request did not arrive in time. Send it whole.');
  return told('not http', 'INVALID_REQUEST', 'What came cannot be read as HTTP/1.1. Nothing was charged for it.');
}
