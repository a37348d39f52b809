import { createServer, type RequestListener, type Server } from 'node:http';
import { type ConnectionLimit, limitConnections } from './limits/connectionLimit.ts';
import type { MessageClasses } from './messageClasses.ts';
import { maxBodyBytes } from './readBody.ts';

/** Longer than any time to first byte: a settlement plus the engine's largest configurable deadline. */
const idleMs = 300_000;

/** Enough for every client that one process can serve, and below the usual limit of open files. */
const maxConnections = 4_000;
/** How often Node checks timeouts; its default of 30 s would triple the time for a header. */
const checkMs = 1_000;

/**
 * Creates the service's HTTP server with bounded waits; it does not listen yet.
 * @param options.idleTimeoutMs closes a connection without traffic: a client that does not read its response would
 *   otherwise hold memory indefinitely
 * @param options.headersMs closes a connection whose header is not complete
 * @param options.limit connections of each address; absent: only the total is limited
 * @param options.onConnectionClosed called for each connection above the limit of its address
 * @param options.messages the classes of requests and responses; by default those of Node
 */
export function openServer(
  listener: RequestListener,
  {
    idleTimeoutMs = idleMs,
    headersMs = 10_000,
    connections = maxConnections,
    limit,
    onConnectionClosed,
    messages,
  }: {
    idleTimeoutMs?: number;
    headersMs?: number;
    connections?: number;
    limit?: ConnectionLimit | undefined;
    onConnectionClosed?: () => void;
    messages?: MessageClasses;
  } = {},
): Server {
  const server = createServer(
    // Node would answer a request without Host with an empty 400; `requireHost` sends the usual body.
    {
      headersTimeout: headersMs,
      // At least the time for the header.
      requestTimeout: Math.max(30_000, headersMs),
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: checkMs,
      requireHostHeader: false,
      ...(messages && { IncomingMessage: messages.IncomingMessage, ServerResponse: messages.ServerResponse }),
    },
    listener,
  );
  server.setTimeout(idleTimeoutMs);
  // Connections above the limit are closed at once.
  server.maxConnections = connections;
  if (limit) limitConnections(server, limit, onConnectionClosed);
  // A client may half-close after its request and still read. Node would close the connection after the charge.
  // A client that closed both directions is detected by a failed write.
  Object.assign(server, { httpAllowHalfOpen: true });
  // A server may ignore an unknown expectation (RFC 9110, 10.1.1).
  server.on('checkExpectation', listener);
  // Do not request a body that will be rejected as too large.
  server.on('checkContinue', (req, res) => {
    if (Number(req.headers['content-length'] ?? 0) <= maxBodyBytes) res.writeContinue();
    listener(req, res);
  });
  return server;
}
