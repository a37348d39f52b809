import { createServer, type RequestListener, type Server } from 'node:http';
import { maxBodyBytes } from './readBody.ts';

/** Longer than any time to first byte: a settlement plus the engine's largest configurable deadline. */
const silentMs = 300_000;

/**
 * The service's HTTP server, not yet listening. Every wait is bounded.
 * @param silentAfterMs idle timeout of a connection; without it a client that does not read would hold its response for ever
 */
export function openServer(listener: RequestListener, silentAfterMs = silentMs): Server {
  const server = createServer(
    // Node would answer a request without Host with an empty 400; this service does not use the header.
    { headersTimeout: 15_000, requestTimeout: 30_000, keepAliveTimeout: 65_000, requireHostHeader: false },
    listener,
  );
  server.setTimeout(silentAfterMs);
  // A client may half-close after its request and still read. Node would close the connection after the charge. A client
  // that has left looks the same until the first write, so the access log may count its response as sent.
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
