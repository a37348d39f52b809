import { createServer, type RequestListener, type Server } from 'node:http';
import { maxBodyBytes } from './readBody.ts';

/** Longer than any time to first byte: a settlement plus the engine's largest configurable deadline. */
const silentMs = 300_000;

/** Enough for every client that one process can serve, and below the usual limit of open files. */
const mostConnections = 4_000;
/** Node looks for connections that are past their time this often; its own 30 s would triple the time for a header. */
const checkMs = 1_000;

/**
 * The service's HTTP server, whose every wait is bounded. Not listening yet.
 * @param silentAfterMs a connection on which nothing moves for so long is cut: somebody who does not read his answer
 *   would hold it, and what it is sent from, for ever
 * @param limits `headersMs`: a connection that has not sent its header by then is closed
 */
export function openServer(
  listener: RequestListener,
  silentAfterMs = silentMs,
  { headersMs = 15_000, connections = mostConnections }: { headersMs?: number; connections?: number } = {},
): Server {
  const server = createServer(
    // Node answers a request without Host by an empty 400; nothing here asks for one.
    {
      headersTimeout: headersMs,
      requestTimeout: 30_000,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: checkMs,
      requireHostHeader: false,
    },
    listener,
  );
  server.setTimeout(silentAfterMs);
  // Further ones are closed at once.
  server.maxConnections = connections;
  // Who has said all and closes his side may still listen: Node would hang up on him, after he was charged. One who has
  // gone for good looks the same until something is written to him, so an answer that takes long counts as told to both.
  Object.assign(server, { httpAllowHalfOpen: true });
  // A server may ignore an unknown expectation (RFC 9110, 10.1.1).
  server.on('checkExpectation', listener);
  // Do not ask for a body that will be rejected as too large.
  server.on('checkContinue', (req, res) => {
    if (Number(req.headers['content-length'] ?? 0) <= maxBodyBytes) res.writeContinue();
    listener(req, res);
  });
  return server;
}
