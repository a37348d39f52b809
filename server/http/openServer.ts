import { createServer, type RequestListener, type Server } from 'node:http';
import { maxBodyBytes } from './readBody.ts';

/** Longer than any time to first byte: a settlement plus the engine's largest configurable deadline. */
const silentMs = 300_000;

/**
 * The service's HTTP server, whose every wait is bounded. Not listening yet.
 * @param silentAfterMs a connection on which nothing moves for so long is cut: somebody who does not read his answer
 *   would hold it, and what it is sent from, for ever
 */
export function openServer(listener: RequestListener, silentAfterMs = silentMs): Server {
  const server = createServer(
    // Node answers a request without Host by an empty 400; nothing here asks for one.
    { headersTimeout: 15_000, requestTimeout: 30_000, keepAliveTimeout: 65_000, requireHostHeader: false },
    listener,
  );
  server.setTimeout(silentAfterMs);
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
